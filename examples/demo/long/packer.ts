// The module that calls a candidate of the long run in its sandbox: beside the item and the room of a bin it tells what has
// come so far. It knows nothing of what is still to come, not even how much.

/** What a rule may use, with what it is. */
export const terminals: Readonly<Record<string, string>> = {
  item: "size of the item",
  room: "room in the bin before it",
  rest: "room in the bin after it",
  same: "open bins with the same room as this one; 0 for a new bin",
  like: "open bins that have the room `rest` already",
  open: "open bins: those with room for the smallest item so far",
  seen: "items so far",
  fits: "share of the items so far that would fit into `rest`",
};

/** Those that are told beside the item and the room. */
export const told: readonly string[] = ["same", "like", "open", "seen", "fits"];

/**
 * Bins with the same room are equal, so each room is offered once. Of equal priorities the smallest room wins, and a new bin
 * comes last.
 */
export const packer = `
import { priority } from "./candidate.ts";

function packOne(items: number[], capacity: number): number[] {
  const counts: number[] = new Array(capacity + 1).fill(0);
  // How many items so far are of at most a size; right up to the largest of them.
  const upTo: number[] = new Array(capacity + 1).fill(0);
  const byRoom: number[][] = [];
  for (let room = 0; room <= capacity; room++) byRoom.push([]);
  const rooms: number[] = [];
  const now = { same: 0, like: 0, open: 0, seen: 0, fits: 0 };
  const places: number[] = [];
  let bins = 0;
  let smallest = Infinity;
  let largest = 0;
  for (let seen = 0; seen < items.length; seen++) {
    const item = items[seen];
    let best = -1;
    let highest = -Infinity;
    now.seen = seen;
    for (let index = 0; index < rooms.length; index++) {
      const room = rooms[index];
      if (room < item) continue;
      const rest = room - item;
      now.same = counts[room];
      now.like = counts[rest];
      now.fits = (rest < largest ? upTo[rest] : seen) / seen;
      const value = priority(item, room, now);
      if (value > highest || (value === highest && room < rooms[best])) {
        highest = value;
        best = index;
      }
    }
    let room = capacity;
    now.same = 0;
    now.like = counts[capacity - item];
    now.fits = seen === 0 ? 0 : (capacity - item < largest ? upTo[capacity - item] : seen) / seen;
    if (best < 0 || priority(item, capacity, now) > highest) byRoom[capacity].push(bins++);
    else {
      room = rooms[best];
      if (room >= smallest) now.open--;
      if (--counts[room] === 0) {
        rooms[best] = rooms[rooms.length - 1];
        rooms.pop();
      }
    }
    const bin = byRoom[room].pop();
    const rest = room - item;
    places.push(bin);
    if (rest > 0) {
      byRoom[rest].push(bin);
      if (++counts[rest] === 1) rooms.push(rest);
      if (rest >= smallest) now.open++;
    }
    if (item > largest) {
      for (let size = largest; size <= item; size++) upTo[size] = seen;
      largest = item;
    }
    for (let size = item; size <= largest; size++) upTo[size]++;
    if (item < smallest) {
      for (const other of rooms) if (other >= item && other < smallest) now.open += counts[other];
      smallest = item;
    }
  }
  return places;
}

export const pack = (instances: number[][], capacity: number): number[][] =>
  instances.map((items) => packOne(items, capacity));`;
