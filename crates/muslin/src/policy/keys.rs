//! The keys of a policy, for commands that use some of them and say which they do not.

use serde_json::Value;

use super::Policy;

impl Policy {
    /// The keys that this policy sets, such as `columns.age.weight` and `protect.slice.l`, in order. A key
    /// that says what holds without it is not set.
    ///
    /// ```
    /// let text = "schema = 1\n[columns.\"a.b\"]\nweight = 2\n[protect]\nmask.beta = 0.5\nmask.exact = false";
    /// let policy = muslin::Policy::parse("muslin.toml", text)?;
    /// assert_eq!(policy.keys(), ["columns.\"a.b\".weight", "protect.mask.beta"]);
    /// # Ok::<(), muslin::Error>(())
    /// ```
    pub fn keys(&self) -> Vec<String> {
        let mut keys = Vec::new();
        let Ok(Value::Object(sections)) = serde_json::to_value(self) else { return keys };
        for (section, own) in sections {
            match own {
                _ if section == "schema" => {}
                Value::Object(own) => {
                    own.iter().for_each(|(key, value)| set_keys(&section, key, value, &mut keys));
                }
                own if is_set(&own) => keys.push(section),
                _ => {}
            }
        }
        keys.sort_unstable();
        keys
    }
}

impl Policy {
    /// The sections `[release]` and `[protect]`, as a policy spells them.
    pub(crate) fn sections(&self) -> String {
        let section = |name: &str, own: serde_json::Result<Value>| {
            let own = own.ok().and_then(|own| spelled(&own))?;
            let table: toml::Table = [(name.to_owned(), own)].into_iter().collect();
            toml::to_string(&table).ok()
        };
        let sections = [
            section("release", serde_json::to_value(&self.release)),
            section("protect", serde_json::to_value(&self.protect)),
        ];
        sections.into_iter().flatten().collect::<Vec<_>>().join("\n")
    }
}

/// A value as TOML; nothing where it says what holds without it.
fn spelled(value: &Value) -> Option<toml::Value> {
    Some(match value {
        Value::Null | Value::Bool(false) => return None,
        Value::Bool(true) => toml::Value::Boolean(true),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => toml::Value::Integer(whole),
            None => toml::Value::Float(number.as_f64()?),
        },
        Value::String(text) => toml::Value::String(text.clone()),
        Value::Array(list) if list.is_empty() => return None,
        Value::Array(list) => toml::Value::Array(list.iter().filter_map(spelled).collect()),
        Value::Object(map) => {
            let own = map.iter().filter_map(|(key, value)| Some((key.clone(), spelled(value)?)));
            let own: toml::Table = own.collect();
            if own.is_empty() {
                return None;
            }
            toml::Value::Table(own)
        }
    })
}

/// The keys that a part of a section sets: a column and a method have keys of their own.
fn set_keys(section: &str, key: &str, value: &Value, keys: &mut Vec<String>) {
    let is_plain = |key: &str| {
        !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
    };
    let path = if is_plain(key) {
        format!("{section}.{key}")
    } else {
        format!("{section}.{}", toml::Value::from(key))
    };
    match value {
        Value::Object(own) if section == "columns" || section == "protect" => {
            let set = own.iter().filter(|(_, value)| is_set(value));
            keys.extend(set.map(|(key, _)| format!("{path}.{key}")));
        }
        value if is_set(value) => keys.push(path),
        _ => {}
    }
}

/// Whether a value says more than none would.
fn is_set(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Array(list) => !list.is_empty(),
        Value::Object(map) => map.values().any(|value| !value.is_null()),
        _ => true,
    }
}

/// What a report says of keys that a command did not use.
pub(crate) fn unused_warning(command: &str, keys: &[String]) -> Option<String> {
    let all = keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
    (!keys.is_empty()).then(|| {
        format!(
            "`muslin {command}` does not use these keys of the policy: {all}; `muslin protect -p` uses all of them"
        )
    })
}
