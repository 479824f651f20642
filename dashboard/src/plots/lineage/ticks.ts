// Which figures stand at an axis.

/** Round figures inside a range, at most so many. */
export function ticks(
  from: number,
  to: number,
  { countMax, whole = false }: { readonly countMax: number; readonly whole?: boolean },
): readonly number[] {
  const [low, high] = from < to ? [from, to] : [to, from];
  if (!(high > low) || countMax < 1 || !Number.isFinite(high - low)) return [];
  const rough = (high - low) / countMax;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((by) => by * power >= rough) ?? 10;
  const step = whole ? Math.max(1, Math.round(factor * power)) : factor * power;
  if (!(step > 0) || low + step === low) return [];
  const found: number[] = [];
  for (let index = Math.ceil(low / step); index * step <= high && found.length <= countMax + 1; index++)
    found.push(index * step);
  return found;
}
