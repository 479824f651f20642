// Which modules import each other, directly or not (Tarjan). Without recursion, so that a chain of any length is as safe as
// a short one.
import { append, at } from "../../model/wire/intrinsics.ts";

interface Visited {
  readonly index: number;
  readonly edges: readonly number[];
  next: number;
  lowest: number;
}

/** For each of the nodes 0 to count - 1 the number of its group. */
export function groupsOf(count: number, edgesOf: (index: number) => readonly number[]): number[] {
  const groups: number[] = [];
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    append(groups, -1);
    append(times, 0);
  }
  const open: number[] = [];
  const path: Visited[] = [];
  let time = 0;
  let group = 0;
  const enter = (index: number): void => {
    times[index] = ++time;
    append(open, index);
    append(path, { index, edges: edgesOf(index), next: 0, lowest: time });
  };
  for (let root = 0; root < count; root++) {
    if (at(times, root) === 0) enter(root);
    while (path.length > 0) {
      const top = at(path, path.length - 1);
      if (top.next < top.edges.length) {
        const index = at(top.edges, top.next++);
        if (at(times, index) === 0) enter(index);
        else if (at(groups, index) < 0 && at(times, index) < top.lowest) top.lowest = at(times, index);
        continue;
      }
      path.length--;
      const above = path[path.length - 1];
      if (above !== undefined && top.lowest < above.lowest) above.lowest = top.lowest;
      if (top.lowest !== at(times, top.index)) continue;
      // Whatever was entered since and belongs to no group yet is of this one.
      let last: number;
      do {
        last = at(open, open.length - 1);
        open.length--;
        groups[last] = group;
      } while (last !== top.index);
      group++;
    }
  }
  return groups;
}
