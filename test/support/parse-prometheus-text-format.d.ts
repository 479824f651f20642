// What the parser of Prometheus texts gives; it has no types of its own.
declare module "parse-prometheus-text-format" {
  interface PrometheusFamily {
    readonly name: string;
    readonly help: string;
    readonly type: string;
    readonly metrics: readonly {
      readonly value?: string;
      readonly labels?: Readonly<Record<string, string>>;
      readonly buckets?: Readonly<Record<string, string>>;
      readonly count?: string;
      readonly sum?: string;
    }[];
  }
  export default function parse(text: string): PrometheusFamily[];
}
