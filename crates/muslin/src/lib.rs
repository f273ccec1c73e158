//! muslin finds what gives people away in a table about them, takes it out, and proves it.
//!
//! One job goes in, one report comes out, through every door: command line, Python and web.
//! [`ScanJob`] says what is in a file, [`UniquesJob`] what singles its rows out, [`KeysJob`] which
//! columns tell them apart, [`ExplainJob`] why one row or one set of columns is risky, [`MaskJob`]
//! which columns can be published together, [`SuppressJob`] which cells to withhold,
//! [`GeneralizeJob`] what values become; [`BucketizeJob`] and [`SliceJob`] cut
//! the links between columns, and [`DiffJob`] says what an analyst loses by any release. A job names
//! the input and the settings; a [`Run`] says how to work: threads, limits,
//! seed, progress, cancellation.
//!
//! ```
//! use muslin::{DemoData, Destination, Input, Run, ScanJob, Seed, WriteOptions};
//!
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("hospital.csv");
//! let run = Run::new();
//! DemoData::new(500, Seed::new(1)).write(&Destination::named(&file), &WriteOptions::default(), &run)?;
//!
//! let report = ScanJob::new(Input::named(&file)).run(&run)?;
//! assert_eq!(report.rows, 500);
//! assert_eq!(report.columns[0].name, "patient_id");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arrays;
mod attack;
mod bucketize;
mod buckets;
mod claims;
mod cluster;
mod decide;
mod demo;
mod diff;
mod elsewhere;
mod error;
mod explain;
mod generalize;
mod hierarchies;
mod init;
mod input;
mod keys;
mod label_format;
mod looked;
mod mask;
mod pair;
mod plots;
mod policy;
mod presets;
mod protect;
mod published;
mod quoted;
mod release;
mod release_folder;
mod report;
mod scan;
mod slice;
mod spelling;
mod suppress;
mod suppressed_cells;
mod toml_text;
mod uniques;
mod verdict;
mod verify;
mod whole;

pub use muslin_assess::{
    Beta, Bound, ExactFound, ExactMinimum, Explain, Explanation, FoundSet, Greedy, GreedyFound,
    GreedyStep, Levelwise, LevelwiseFound, Measure, MinimalSets, MinimalSetsFound, Pruning,
    RatioEstimate, SampledKey, SampledKeyFound, SetRatios, Target, Weight, Weights,
};
pub use muslin_assess::{
    ColumnShare, Dis, ExplainRow, Method, MinimalUniques, NearRow, RowColumn, RowExplanation,
    RowUniques, Score, Unique, UniqueBatch, UniquesFound, ValueShare,
};
pub use muslin_engine::{
    Cancel, Coverage, Engine, MemoryEngine, NoProgress, Partition, Progress, Run, Seed, Shape, Stop,
};
pub use muslin_io::{
    Batches, Cause, ColumnChoice, ColumnType, Compression, CsvOptions, CsvStyle, Destination,
    Dialect, Encoding, Format, Input, Kept, Memory, OutputProblem, Place, Problem, ReadOptions,
    ReadTable, Release, RowOrder, ScratchFolder, Source, WriteFormat, WriteOptions, check_folder,
    check_outputs, encode_batches, read, remove_temporary_files, type_name, write,
};
pub use muslin_protect::{
    BUCKET_NAME, BucketMethod, Cut, Distance, MaskMethod, SliceCheck, Spread, Ties,
};
pub use muslin_report::{Document, Figure, Verdict};
pub use muslin_table::{
    Cell, Changes, ClassDiversity, ClassSizes, Code, Codes, Column, ColumnId, ColumnSet, DayFormat,
    Dictionary, DiversityCount, EncodedTable, MissingRule, Ratio, Role, RowId, SizeCount,
    printable, shell_word,
};
pub use muslin_verify::loss::Workload;

pub use self::attack::{
    AttackJob, AttackReport, AttackResult, AttackedColumnReport, SkippedAttack,
};
pub use self::bucketize::{BucketizeJob, BucketizeLoss, BucketizeReport};
pub use self::claims::{Claim, SpreadSetting};
pub use self::cluster::{ExecutorJob, SchedulerJob};
pub use self::demo::DemoData;
pub use self::diff::{
    DiffAssociation, DiffBin, DiffClasses, DiffColumnReport, DiffDivergence, DiffJob, DiffLoss,
    DiffMarginal, DiffPair, DiffQueries, DiffReport, DiffSuppression, DiffTableReport,
};
pub use self::elsewhere::{AskAt, EngineName, HAS_CLUSTER, HAS_QUERY_ENGINE};
pub use self::error::{Error, Failure, Result};
pub use self::explain::{
    ColumnWithoutReport, ExplainAnswer, ExplainJob, ExplainQuestion, ExplainReport, ExplainedRow,
    ExplainedSet, NearRowReport, RowColumnReport,
};
pub use self::generalize::{
    GeneralizeJob, GeneralizeLoss, GeneralizeReport, GeneralizedColumnReport, Labels, Recoding,
};
pub use self::hierarchies::{DatePart, Hierarchies, HierarchyRule, HierarchySource};
pub use self::init::{InitJob, InitReport};
pub use self::input::InputReport;
pub use self::keys::{
    AllReport, AllSets, BoundsReport, ExplanationReport, GivenSetReport, KeysAnswer, KeysJob,
    KeysOutput, KeysQuestion, KeysReport, MinimumMethod, MinimumReport, OverviewReport, RatiosKind,
    RatiosReport, SampleReport, SampledSet, SetFacts, SetsMethod, ShareReport, StepReport,
    TargetReport, WholeReport,
};
pub use self::label_format::LabelFormat;
pub use self::mask::{
    MaskJob, MaskReason, MaskReport, MaskSampleReport, MaskStepReport, MaskedReport,
};
pub use self::plots::{association_figure, loss_figure, marginal_figure};
pub use self::policy::{
    BucketizePolicy, ColumnPolicy, CombinationPolicy, GeneralizePolicy, InputPolicy, LimitsPolicy,
    MaskPolicy, Policy, ProtectMethod, ProtectPolicy, ReleasePolicy, SlicePolicy, SuppressPolicy,
    UtilityPolicy, WeightPolicy,
};
pub use self::presets::Preset;
pub use self::protect::{
    Candidate, ChangedColumn, PlanReport, ProtectJob, ProtectLoss, ProtectReport, ProtectStep,
    Rehearsal, RehearsalReport, UndecidedColumn,
};
pub use self::published::ReportText;
pub use self::quoted::quoted;
pub use self::release::{ReleaseOutput, ReleaseStyle};
pub use self::release_folder::{Manifest, ManifestFile, ReleaseDialect};
pub use self::report::{Audience, DocumentFormat, ReportJob, write_document};
pub use self::scan::{
    ClassesReport, ColumnInfluence, ColumnReport, Decided, DependenciesReport, DependencyReport,
    FindingKind, FindingReport, Gain, InfluenceReport, MinimalUniquesReport, PairReport,
    PartCoverage, Pattern, PatternReport, PresetReport, ScanJob, ScanPlots, ScanReport, SetPoint,
    SetReport, SetsReport, SingledOutReport, SingledOutSize, SizeReport, SurvivalPoint, Threshold,
    WorstSet, suggest_role,
};
pub use self::slice::{
    AssociationsReport, MatchingReport, MembershipReport, SliceJob, SliceLevelReport, SliceLoss,
    SliceReport, SliceSetting,
};
pub use self::spelling::Spelling;
pub use self::suppress::{
    BrokenDependency, CellCost, CertificateCheck, DiversityReport, NotionsReport,
    SuppressColumnReport, SuppressJob, SuppressMethod, SuppressNotion, SuppressReport,
};
pub use self::uniques::{
    ColumnSetReport, ColumnShareReport, DisReport, GroupBy, IntervalReport, RowReport, ScoreReport,
    SmallestReport, UniquesEstimate, UniquesJob, UniquesOutput, UniquesReport, UniquesTable,
};
pub use self::verdict::{MAX_UNIQUE, VerdictFinding, VerdictFindingKind, verdict_headline};
pub use self::verify::{
    ExposedColumns, ExposureReport, VerifyBound, VerifyCheck, VerifyJob, VerifyReport,
};
