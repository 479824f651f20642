// What is known of rows and ids when rows have moved.

export function moved<A, B, K, V>(entries: Iterable<[A, B]>, move: (a: A, b: B) => [K, V]): Map<K, V> {
  const map = new Map<K, V>();
  for (const [a, b] of entries) map.set(...move(a, b));
  return map;
}
