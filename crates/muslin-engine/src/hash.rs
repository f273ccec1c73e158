/// Spreads the bits of a key: the two halves of a 128-bit product, folded, so that every bit of
/// the key reaches the highest ones. Not for keys that an enemy chooses to collide.
pub fn fold_bits(key: u64) -> u64 {
    let wide = u128::from(key ^ 0x243F_6A88_85A3_08D3) * 0x9E37_79B9_7F4A_7C15;
    let folded = (wide ^ (wide >> 64)) & u128::from(u64::MAX);
    u64::try_from(folded).expect("masked to 64 bits")
}
