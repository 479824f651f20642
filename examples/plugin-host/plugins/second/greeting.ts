// The second greeting.
export const greet = (name: string): string => `Good day, ${name}!`;
