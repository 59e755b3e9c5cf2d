//! Decides which rows are multiplied, and orders the rows so that each level's products are contiguous.
//!
//! Where messages are linear, Σ W h = W Σ h, so a receiver may add up first and multiply once. A sender's
//! product is shared by all its receivers. A receiver's share of its senders' products is therefore
//! Σ 1/(receivers of the sender). If that exceeds 1, adding up first is cheaper. This is the case for END
//! with its many leaves, and for an operator whose children have no other parent.

use std::cmp::Ordering;

use super::schedule::{Level, Schedule};

/// Sorts the rows of each level into four groups (aggregating; both; sending; neither) and numbers all
/// products.
pub(crate) fn arrange(schedule: &mut Schedule, level_ends: &[usize], linear: bool) {
    let rows = schedule.rows();
    let mut receivers = vec![0u32; rows];
    for &source in &schedule.sources {
        receivers[source as usize] += 1;
    }
    let mut adds = vec![false; rows];
    let mut sends = vec![false; rows];
    for (row, adds) in adds.iter_mut().enumerate() {
        let senders = &schedule.sources[schedule.entries(row)];
        let share: f32 = senders.iter().map(|&s| 1.0 / receivers[s as usize] as f32).sum();
        *adds = linear && share > 1.0;
        if !*adds {
            senders.iter().for_each(|&s| sends[s as usize] = true);
        }
    }

    // `order[new] = old`.
    let mut order: Vec<u32> = (0..rows as u32).collect();
    let (mut first, mut products) = (0, 0);
    for &end in level_ends {
        let level = &mut order[first..end];
        let group = |&row: &u32| match (adds[row as usize], sends[row as usize]) {
            (true, false) => 0,
            (true, true) => 1,
            (false, true) => 2,
            (false, false) => 3,
        };
        level.sort_by_key(group);
        let bound = |g| first + level.partition_point(|row| group(row) < g);
        let (aggregated, sending) = (first..bound(2), bound(1)..bound(3));
        let count = aggregated.len() + sending.len();
        schedule.levels.push(Level {
            rows: first..end,
            aggregated,
            sending,
            product: products,
            families: 0..0,
        });
        products += count;
        first = end;
    }
    schedule.products = products;
    permute(schedule, &order);
    schedule.aggregate = vec![u32::MAX; rows];
    schedule.send = vec![u32::MAX; rows];
    for level in &schedule.levels {
        for (number, row) in level.aggregated.clone().enumerate() {
            schedule.aggregate[row] = (level.product + number) as u32;
        }
        for (number, row) in level.sending.clone().enumerate() {
            schedule.send[row] = (level.product + level.aggregated.len() + number) as u32;
        }
    }
    find_families(schedule);
}

/// Groups the rows of each level that have the same predecessors.
fn find_families(schedule: &mut Schedule) {
    let (mut family, mut member) = (vec![0u32; schedule.rows()], Vec::new());
    let mut order: Vec<usize> = Vec::new();
    for number in 0..schedule.levels.len() {
        let first = member.len();
        let list = |row: usize| {
            let entries = schedule.entries(row);
            (&schedule.sources[entries.clone()], &schedule.times[entries])
        };
        order.clear();
        order.extend(schedule.levels[number].rows.clone());
        // `times` holds whole numbers, so the order is total. Rows of one family keep their order.
        order.sort_by(|&a, &b| list(a).partial_cmp(&list(b)).unwrap_or(Ordering::Equal));
        // Rows of the first level receive nothing, or each its own initial state.
        for group in order.chunk_by(|&a, &b| number > 0 && list(a) == list(b)) {
            group.iter().for_each(|&row| family[row] = member.len() as u32);
            member.push(group[0] as u32);
        }
        schedule.levels[number].families = first..member.len();
    }
    schedule.family = family;
    schedule.member = member;
}

/// Renumbers rows: new row `i` is old row `order[i]`.
fn permute(schedule: &mut Schedule, order: &[u32]) {
    let mut place = vec![0u32; order.len()];
    for (new, &old) in order.iter().enumerate() {
        place[old as usize] = new as u32;
    }
    let pick = |list: &[u32]| order.iter().map(|&old| list[old as usize]).collect::<Vec<u32>>();
    let (types, counts) = (pick(&schedule.types), pick(&schedule.counts));
    let degrees = order.iter().map(|&old| schedule.degrees[old as usize]).collect();
    if !schedule.marks.is_empty() {
        schedule.marks = order.iter().map(|&old| schedule.marks[old as usize]).collect();
    }
    let (mut offsets, mut sources, mut times) = (vec![0], Vec::new(), Vec::new());
    for &old in order {
        let entries = schedule.entries(old as usize);
        sources.extend(schedule.sources[entries.clone()].iter().map(|&s| place[s as usize]));
        times.extend_from_slice(&schedule.times[entries]);
        offsets.push(sources.len() as u32);
    }
    for row in &mut schedule.row_of {
        *row = place[*row as usize];
    }
    schedule.types = types;
    schedule.counts = counts;
    schedule.degrees = degrees;
    schedule.offsets = offsets;
    schedule.sources = sources;
    schedule.times = times;
}
