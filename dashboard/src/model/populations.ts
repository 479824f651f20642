// The names of populations, as events and pages have them.

/** Whether it is one: an evaluation that names none is told with `default`. */
export function isPopulation(name: string | null): name is string {
  return name !== null && name !== "default";
}
