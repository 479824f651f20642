// The numbers that stand for values which JSON lacks, where a table refers to one.

export const constants = {
  undefined: -1,
  nan: -2,
  infinity: -3,
  minusInfinity: -4,
  minusZero: -5,
  hole: -6,
} as const;
