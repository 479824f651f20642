// The parents and children of every individual, as linked lists of numbers in typed arrays.
import { Column } from "./column.ts";

const none = -1;

export class Edges {
  #count = 0;
  #parent = new Column("int");
  #child = new Column("int");
  /** The next edge of the same child, and of the same parent. */
  #nextOfChild = new Column("int", none);
  #nextOfParent = new Column("int", none);
  #firstOfChild = new Column("int", none);
  #firstOfParent = new Column("int", none);

  get bytes(): number {
    return [
      this.#parent,
      this.#child,
      this.#nextOfChild,
      this.#nextOfParent,
      this.#firstOfChild,
      this.#firstOfParent,
    ].reduce((sum, column) => sum + column.bytes, 0);
  }

  add(child: number, parent: number): void {
    const edge = this.#count++;
    this.#parent.set(edge, parent);
    this.#child.set(edge, child);
    this.#append(this.#firstOfChild, this.#nextOfChild, { of: child, edge });
    // Newest first: a chain of thousands of children is never walked to add one more.
    this.#nextOfParent.set(edge, this.#firstOfParent.get(parent));
    this.#firstOfParent.set(parent, edge);
  }

  /** In the order in which they were named. */
  parentsOf(row: number): number[] {
    const parents: number[] = [];
    for (let edge = this.#firstOfChild.get(row); edge !== none; edge = this.#nextOfChild.get(edge))
      parents.push(this.#parent.get(edge));
    return parents;
  }

  /** Newest first. */
  childrenOf(row: number): number[] {
    const children: number[] = [];
    for (let edge = this.#firstOfParent.get(row); edge !== none; edge = this.#nextOfParent.get(edge))
      children.push(this.#child.get(edge));
    return children;
  }

  /** Rows move to new places; the edges of a row whose place is negative go. */
  keep(places: Column): void {
    const fresh = new Edges();
    for (let edge = 0; edge < this.#count; edge++) {
      const child = places.get(this.#child.get(edge));
      const parent = places.get(this.#parent.get(edge));
      if (child >= 0 && parent >= 0) fresh.add(child, parent);
    }
    this.#count = fresh.#count;
    this.#parent = fresh.#parent;
    this.#child = fresh.#child;
    this.#nextOfChild = fresh.#nextOfChild;
    this.#nextOfParent = fresh.#nextOfParent;
    this.#firstOfChild = fresh.#firstOfChild;
    this.#firstOfParent = fresh.#firstOfParent;
  }

  // At the end: parents are few, and their order means something.
  #append(first: Column, next: Column, { of, edge }: { readonly of: number; readonly edge: number }): void {
    let last = first.get(of);
    if (last === none) return first.set(of, edge);
    for (let after = next.get(last); after !== none; after = next.get(last)) last = after;
    next.set(last, edge);
  }
}
