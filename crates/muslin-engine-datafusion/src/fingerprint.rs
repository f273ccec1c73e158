//! A number of the values of some columns, for telling whether an answer is about every row, once.
//!
//! A cluster that loses an executor has been seen to count a part twice, or not at all; and a part that is counted
//! in place of another leaves the number of rows as it was. So whoever counts classes adds up the fingerprints of their rows, and
//! compares with what a plain pass over the columns adds up. A fingerprint is the sum of those of a row's values, so that
//! one pass over each column does for all sets of columns.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int64Array};
use arrow_schema::DataType;
use datafusion::common::hash_utils::{QualityRandomState, create_hashes};
use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

/// The name of the function in queries.
pub const FINGERPRINT: &str = "muslin_fingerprint";

/// The function: how many rows there are with these values, then the values.
pub fn fingerprint() -> ScalarUDF {
    let signature = Signature::variadic_any(Volatility::Immutable);
    ScalarUDF::new_from_impl(Fingerprint { signature })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Fingerprint {
    signature: Signature,
}

impl ScalarUDFImpl for Fingerprint {
    fn name(&self) -> &'static str {
        FINGERPRINT
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let Some((rows, values)) = arrays.split_first() else {
            return internal_err!("a fingerprint is of so many rows");
        };
        let Some(rows) = rows.as_primitive_opt::<Int64Type>() else {
            return internal_err!("numbers of rows are whole numbers");
        };
        let prints = rows.values().iter().zip(sums(values, rows.len())?);
        let prints = prints.map(|(&rows, print)| rows.wrapping_mul(print.cast_signed()));
        Ok(ColumnarValue::Array(Arc::new(Int64Array::from_iter_values(prints))))
    }
}

/// For each row, the sum of the hashes of its values. Every process must get the same, so the state is fixed.
fn sums(values: &[ArrayRef], rows: usize) -> Result<Vec<u64>> {
    let mut sums = vec![0_u64; rows];
    let mut hashes = vec![0; rows];
    for array in values {
        // What is missing leaves its place as it is.
        hashes.fill(0);
        create_hashes([array], &QualityRandomState::with_seed(0), &mut hashes)?;
        for (sum, hash) in sums.iter_mut().zip(&hashes) {
            *sum = sum.wrapping_add(*hash);
        }
    }
    Ok(sums)
}
