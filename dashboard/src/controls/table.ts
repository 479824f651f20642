// What a virtual table is told of its columns.
export interface TableColumn<Row> {
  readonly key: string;
  readonly title: string;
  /** In pixels. */
  readonly width: number;
  /** It takes what is left as well. Default: the first column does. */
  readonly takesRest?: boolean;
  /** It is a number, written from the right. */
  readonly figure?: boolean;
  readonly sortable?: boolean;
  /** What stands in a cell, made visible already; null is unknown. */
  readonly text: (row: Row) => string | null;
  /** One of the classes of colour; the text says the same. */
  readonly tone?: (row: Row) => "good" | "warn" | "bad" | "quiet" | "";
}

export interface TableSorting {
  readonly key: string;
  readonly descending: boolean;
}
