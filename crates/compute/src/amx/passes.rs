//! The passes over tiles: packing a factor, and adding a product to a result.
//!
//! They are a macro, since functions for particular instructions can be inlined only into functions for the
//! same ones. The module that expands it has the instructions: `Floats` and `Words` are 16 numbers each.

/// Defines `pack` and `multiply`, with these attributes.
macro_rules! passes {
    ($(#[$features:meta])*) => {
        /// Packs `length` values of `k`, starting at `from`. `across`: as the second factor, whose tiles have
        /// `k` along their columns.
        ///
        /// # Safety
        /// The instructions must be available, and the operand must describe a matrix that can be read.
        $(#[$features])*
        pub unsafe fn pack(operand: &Operand, from: usize, length: usize, across: bool, to: &mut Tiles) {
            assert!(from + length <= operand.depth, "values beyond the end of the factor");
            let along = operand.strides.1 == 1;
            for tile in 0..operand.outer.div_ceil(TILE) {
                let rows = TILE.min(operand.outer - tile * TILE);
                for step in 0..length.div_ceil(DEPTH) {
                    let k = from + step * DEPTH;
                    let columns = DEPTH.min(from + length - k);
                    let at = to.at_mut(tile, step);
                    let place = (tile * TILE) as isize * operand.strides.0 + k as isize * operand.strides.1;
                    // SAFETY: the tile starts inside the matrix, masks keep every load inside it, and `to`
                    // has room for the pair.
                    unsafe {
                        let start = operand.start.offset(place);
                        let (mut high, mut low) = match along {
                            true => cut_along(start, operand.strides.0, rows, columns),
                            false => cut_across(start, operand.strides.1, rows, columns),
                        };
                        if along == across {
                            transpose(&mut high);
                            transpose(&mut low);
                        }
                        for (row, (high, low)) in high.into_iter().zip(low).enumerate() {
                            store_words(at.add(row * TILE), high);
                            store_words(at.add((TILE + row) * TILE), low);
                        }
                    }
                }
            }
        }

        /// A tile whose `k` are contiguous in memory: one row per outer index.
        #[inline]
        $(#[$features])*
        unsafe fn cut_along(
            start: *const f32,
            stride: isize,
            rows: usize,
            columns: usize,
        ) -> ([Words; TILE], [Words; TILE]) {
            let (mut high, mut low) = ([zero(); TILE], [zero(); TILE]);
            let mask = (1u64 << columns) - 1;
            for row in 0..rows {
                // SAFETY: the caller guarantees that the tile is readable; masked lanes are not read.
                let (first, second) = unsafe {
                    let at = start.offset(row as isize * stride);
                    (load(mask as u16, at), load((mask >> TILE) as u16, at.wrapping_add(TILE)))
                };
                let (even, odd) = even_odd(first, second);
                (high[row], low[row]) = cut(even, odd);
            }
            (high, low)
        }

        /// A tile whose outer indices are contiguous in memory: one row per pair of `k`.
        #[inline]
        $(#[$features])*
        unsafe fn cut_across(
            start: *const f32,
            stride: isize,
            rows: usize,
            columns: usize,
        ) -> ([Words; TILE], [Words; TILE]) {
            let (mut high, mut low) = ([zero(); TILE], [zero(); TILE]);
            let mask = ((1u32 << rows) - 1) as u16;
            for pair in 0..columns.div_ceil(2) {
                // SAFETY: the caller guarantees that the tile is readable; masked lanes are not read.
                let (even, odd) = unsafe {
                    let at = start.offset(2 * pair as isize * stride);
                    let odd_mask = if 2 * pair + 1 < columns { mask } else { 0 };
                    (load(mask, at), load(odd_mask, at.wrapping_offset(stride)))
                };
                (high[pair], low[pair]) = cut(even, odd);
            }
            (high, low)
        }

        /// Computes a product, or adds it to what is there.
        ///
        /// # Safety
        /// The instructions must be available, the operand must describe a matrix that can be read, and the
        /// result one that can be written, with as many rows as the operand and as many columns as `b`.
        $(#[$features])*
        pub unsafe fn multiply(a: &Operand, b: &Tiles, to: &Output, add: bool) {
            let mut tiles = Tiles::new(a.outer, BLOCK.min(a.depth));
            // SAFETY: as the caller guarantees.
            unsafe {
                configure();
                for from in (0..a.depth).step_by(BLOCK) {
                    let length = BLOCK.min(a.depth - from);
                    pack(a, from, length, false, &mut tiles);
                    add_product(to, &tiles, b, (from / DEPTH, length.div_ceil(DEPTH)), from > 0 || add);
                }
                release();
            }
        }

        /// Writes or adds a product, 32 rows by 32 columns at a time. `first` and `steps` are the first
        /// tile of the second factor's block along `k` and the number of its tiles.
        $(#[$features])*
        unsafe fn add_product(to: &Output, a: &Tiles, b: &Tiles, (first, steps): (usize, usize), add: bool) {
            // The loop over tiles ends when its counter reaches zero, so it must not begin there.
            assert!(steps > 0, "a product without terms");
            #[repr(align(64))]
            struct Square([f32; 4 * TILE * TILE]);
            let mut square = Square([0.0; 4 * TILE * TILE]);
            for column in (0..to.columns).step_by(2 * TILE) {
                let (b0, b1) = (b.at(column / TILE, first, steps), b.at(column / TILE + 1, first, steps));
                for row in (0..to.rows).step_by(2 * TILE) {
                    let a0 = a.at(row / TILE, 0, steps);
                    // SAFETY: each panel has `steps` pairs of tiles, the number of panels is even, and masks
                    // keep loads and stores inside the result.
                    unsafe {
                        if to.rows - row > TILE {
                            let a1 = a.at(row / TILE + 1, 0, steps);
                            two_by_two(a0, a1, b0, b1, steps, square.0.as_mut_ptr());
                        } else {
                            one_by_two(a0, b0, b1, steps, square.0.as_mut_ptr());
                        }
                        for i in 0..(2 * TILE).min(to.rows - row) {
                            let line = to.start.offset((row + i) as isize * to.stride).add(column);
                            let from = square.0.as_ptr().add((i / TILE * 2 * TILE + i % TILE) * TILE);
                            let left = to.columns - column;
                            for (half, left) in [(0, left), (1, left.saturating_sub(TILE))] {
                                let mask = if left >= TILE { !0 } else { (1u16 << left) - 1 };
                                let at = line.wrapping_add(half * TILE);
                                let mut value = load(!0, from.add(half * TILE * TILE));
                                if add {
                                    value = sum(value, load(mask, at));
                                }
                                store(at, mask, value);
                            }
                        }
                    }
                }
            }
        }
    };
}

pub(super) use passes;
