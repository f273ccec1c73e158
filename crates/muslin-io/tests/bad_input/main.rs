//! Bad input. Every file ends as a correct load or as an error that names the file, the place and
//! a way out, and that holds no cell's value; none ends in a panic and every one ends.
//!
//! Files are made here, as bytes, and the expectation stands beside them.

mod blocks;
mod case;
mod columnar;
mod damage;
mod encodings;
mod formats;
mod headers;
mod line_ends;
mod nulls;
mod numbers;
mod quotes;
mod ragged;
mod shapes;
mod spellings;
mod tables;
mod types;

use std::io::ErrorKind;

use muslin_engine::Run;
use muslin_io::{Error, Input, Problem, ReadOptions};

use case::{Case, check};

type Family = fn() -> Vec<Case>;

/// Every family of the corpus.
const FAMILIES: &[Family] = &[
    blocks::cases,
    columnar::cases,
    damage::cases,
    encodings::cases,
    formats::cases,
    headers::cases,
    line_ends::cases,
    nulls::cases,
    numbers::cases,
    quotes::cases,
    ragged::cases,
    shapes::cases,
    spellings::cases,
    types::cases,
];

fn all_cases() -> Vec<Case> {
    FAMILIES.iter().flat_map(|family| family()).collect()
}

#[test]
fn there_are_at_least_150_files() {
    assert!(all_cases().len() >= 150, "{} cases", all_cases().len());
}

#[test]
fn no_two_cases_have_one_name() {
    let mut names: Vec<String> = all_cases().into_iter().map(|case| case.name).collect();
    names.sort_unstable();
    let twice: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

#[test]
fn encodings_end_well() {
    check(&encodings::cases());
}

#[test]
fn headers_end_well() {
    check(&headers::cases());
}

#[test]
fn line_ends_end_well() {
    check(&line_ends::cases());
}

#[test]
fn spellings_of_missing_end_well() {
    check(&nulls::cases());
}

#[test]
fn numbers_end_well() {
    check(&numbers::cases());
}

#[test]
fn delimiters_and_quotes_end_well() {
    check(&quotes::cases());
}

#[test]
fn ragged_rows_end_well() {
    check(&ragged::cases());
}

#[test]
fn sizes_and_shapes_end_well() {
    check(&shapes::cases());
}

#[test]
fn dates_and_mixed_types_end_well() {
    check(&spellings::cases());
}

#[test]
fn cuts_inside_quotes_and_line_ends_end_well() {
    check(&blocks::cases());
}

#[test]
fn other_formats_and_compression_end_well() {
    check(&formats::cases());
}

#[test]
fn files_of_parquet_and_arrow_end_well() {
    check(&columnar::cases());
}

#[test]
fn types_of_parquet_and_arrow_end_well() {
    check(&types::cases());
}

#[test]
fn damaged_parquet_and_arrow_end_well() {
    check(&damage::cases());
}

#[test]
fn a_path_that_is_no_file_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let paths = [
        (folder.path().join("nothing.csv"), ErrorKind::NotFound),
        (folder.path().to_owned(), ErrorKind::IsADirectory),
    ];
    for (path, kind) in paths {
        let end = muslin_io::read(&Input::named(&path), &ReadOptions::default(), &Run::new());
        let Err(Error::Input { place, problem }) = end else {
            panic!("{} is read", path.display());
        };
        assert_eq!(place.file, path.display().to_string());
        assert_eq!(problem, Problem::Unreadable(kind.into()));
    }
}
