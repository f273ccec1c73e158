//! Prints the generated files of this repository as one JSON object of path and content.

#![expect(clippy::print_stdout, reason = "the output is the point of this program")]

mod python;

use std::collections::BTreeMap;

fn main() -> Result<(), serde_json::Error> {
    let scan = schemars::schema_for!(muslin::ScanReport);
    let uniques = schemars::schema_for!(muslin::UniquesReport);
    let estimate = schemars::schema_for!(muslin::UniquesEstimate);
    let keys = schemars::schema_for!(muslin::KeysReport);
    let explain = schemars::schema_for!(muslin::ExplainReport);
    let mask = schemars::schema_for!(muslin::MaskReport);
    let suppress = schemars::schema_for!(muslin::SuppressReport);
    let generalize = schemars::schema_for!(muslin::GeneralizeReport);
    let diff = schemars::schema_for!(muslin::DiffReport);
    let diff_table = schemars::schema_for!(muslin::DiffTableReport);
    let bucketize = schemars::schema_for!(muslin::BucketizeReport);
    let slice = schemars::schema_for!(muslin::SliceReport);
    let attack = schemars::schema_for!(muslin::AttackReport);
    let verify = schemars::schema_for!(muslin::VerifyReport);
    let protect = schemars::schema_for!(muslin::ProtectReport);
    let rehearsal = schemars::schema_for!(muslin::RehearsalReport);
    let report = schemars::schema_for!(muslin::Document);
    let init = schemars::schema_for!(muslin::InitReport);
    let plan = schemars::schema_for!(muslin::PlanReport);
    let manifest = schemars::schema_for!(muslin::Manifest);
    let policy = schemars::schema_for!(muslin::Policy);
    let reports = [
        &scan,
        &uniques,
        &estimate,
        &keys,
        &explain,
        &mask,
        &suppress,
        &generalize,
        &diff,
        &diff_table,
        &bucketize,
        &slice,
        &attack,
        &verify,
        &protect,
        &rehearsal,
        &report,
        &init,
        &plan,
    ];
    let reports = reports.map(|schema| schema.as_value().clone());
    let files = BTreeMap::from([
        ("crates/muslin-py/python/muslin/_reports.py", python::module(&reports)),
        ("docs/schema/scan.schema.json", serde_json::to_string_pretty(&scan)? + "\n"),
        ("docs/schema/uniques.schema.json", serde_json::to_string_pretty(&uniques)? + "\n"),
        (
            "docs/schema/uniques-dry-run.schema.json",
            serde_json::to_string_pretty(&estimate)? + "\n",
        ),
        ("docs/schema/keys.schema.json", serde_json::to_string_pretty(&keys)? + "\n"),
        ("docs/schema/explain.schema.json", serde_json::to_string_pretty(&explain)? + "\n"),
        ("docs/schema/policy.schema.json", serde_json::to_string_pretty(&policy)? + "\n"),
        ("docs/schema/suppress.schema.json", serde_json::to_string_pretty(&suppress)? + "\n"),
        ("docs/schema/generalize.schema.json", serde_json::to_string_pretty(&generalize)? + "\n"),
        ("docs/schema/diff.schema.json", serde_json::to_string_pretty(&diff)? + "\n"),
        ("docs/schema/diff-several.schema.json", serde_json::to_string_pretty(&diff_table)? + "\n"),
        ("docs/schema/bucketize.schema.json", serde_json::to_string_pretty(&bucketize)? + "\n"),
        ("docs/schema/slice.schema.json", serde_json::to_string_pretty(&slice)? + "\n"),
        ("docs/schema/attack.schema.json", serde_json::to_string_pretty(&attack)? + "\n"),
        ("docs/schema/verify.schema.json", serde_json::to_string_pretty(&verify)? + "\n"),
        ("docs/schema/protect.schema.json", serde_json::to_string_pretty(&protect)? + "\n"),
        ("docs/schema/rehearsal.schema.json", serde_json::to_string_pretty(&rehearsal)? + "\n"),
        ("docs/schema/report.schema.json", serde_json::to_string_pretty(&report)? + "\n"),
        ("docs/schema/init.schema.json", serde_json::to_string_pretty(&init)? + "\n"),
        ("docs/schema/plan.schema.json", serde_json::to_string_pretty(&plan)? + "\n"),
        ("docs/schema/manifest.schema.json", serde_json::to_string_pretty(&manifest)? + "\n"),
        ("docs/schema/mask.schema.json", serde_json::to_string_pretty(&mask)? + "\n"),
    ]);
    println!("{}", serde_json::to_string(&files)?);
    Ok(())
}
