// The messages that wait for a process, in a ring of pairs: what kind each is, and its content. A message that waits is no object
// of its own, which every collection would copy while many wait. The ring has no prototype, so that no access goes through one
// that the guest can patch. A call may be cut at any loop and at the beginning of any function: what it has not finished does not
// count then.
import { setPrototypeOf } from "../../model/wire/intrinsics.ts";

/** A message, of whatever kinds there are. */
interface AnyLetter {
  readonly kind: string;
  readonly content: unknown;
}

const slotsMin = 4;
/** A ring of more slots than this is let go when it is empty, unless a quarter of it was used since it was empty before. */
const slotsKept = 256;

const noSlots: unknown[] = [];

export class Mailbox<Letter extends AnyLetter> {
  #slots = noSlots;
  /** How many of the slots are in use: a power of two. */
  #length = 0;
  #first = 0;
  #size = 0;
  #sizeMax = 0;
  /** The most that waited since it was empty. */
  #sizeLately = 0;
  #pushes = 0;
  #takes = 0;

  /** How many messages ever came. */
  get pushes(): number {
    return this.#pushes;
  }

  get size(): number {
    return this.#size;
  }

  /** The most that ever waited. */
  get sizeMax(): number {
    return this.#sizeMax;
  }

  /** What kind the next message is. */
  get nextKind(): Letter["kind"] | undefined {
    return this.#size === 0 ? undefined : (this.#slots[this.#first] as Letter["kind"]); // As it was pushed.
  }

  push({ kind, content }: Letter): void {
    const size = this.#size;
    if (size * 2 === this.#length) this.#grow();
    const at = this.#slotOf(size);
    this.#slots[at] = kind;
    this.#slots[at + 1] = content;
    this.#size = size + 1;
    this.#pushes++;
    if (size >= this.#sizeLately) this.#sizeLately = size + 1;
    if (size >= this.#sizeMax) this.#sizeMax = size + 1;
  }

  shift(): Letter | undefined {
    const kind = this.nextKind;
    return kind === undefined ? undefined : ({ kind, content: this.shiftContent() } as Letter); // As it was pushed.
  }

  /** As `shift`, for one whose kind is known. */
  shiftContent(): unknown {
    const at = this.#first;
    const content = this.#slots[at + 1];
    this.#slots[at + 1] = undefined;
    this.#first = (at + 2) & (this.#length - 1);
    this.#size--;
    this.#takes++;
    if (this.#size === 0 && this.#length > slotsKept) this.#letGo();
    return content;
  }

  /** Takes out the first message for which `isWanted` says so. That may be a guest's code, which may take messages out itself. */
  take(isWanted: (letter: Letter) => boolean): Letter | undefined {
    for (let index = 0; index < this.#size;) {
      const takes = this.#takes;
      const isTaken = isWanted(this.#at(index));
      // It is not known any more which message is where.
      if (takes !== this.#takes) index = 0;
      else if (isTaken) return this.#takeOut(index);
      else index++;
    }
    return undefined;
  }

  each(visit: (letter: Letter) => void): void {
    for (let index = 0; index < this.#size; index++) visit(this.#at(index));
  }

  #at(index: number): Letter {
    const at = this.#slotOf(index);
    return { kind: this.#slots[at], content: this.#slots[at + 1] } as Letter; // As it was pushed.
  }

  #slotOf(index: number): number {
    return (this.#first + index * 2) & (this.#length - 1);
  }

  // Those before it move up by one, and the first place is given up.
  #takeOut(index: number): Letter {
    const letter = this.#at(index);
    const slots = this.#slots;
    for (let i = index; i > 0; i--) {
      const to = this.#slotOf(i);
      const from = this.#slotOf(i - 1);
      slots[to] = slots[from];
      slots[to + 1] = slots[from + 1];
    }
    this.shiftContent();
    return letter;
  }

  // The ring is full. What is before the first place is behind the last one then.
  #grow(): void {
    const slots = this.#length === 0 ? (setPrototypeOf([], null) as unknown[]) : this.#slots;
    const length = this.#length === 0 ? slotsMin : this.#length * 2;
    for (let i = this.#length; i < length; i++) slots[i] = undefined;
    for (let i = 0; i < this.#first; i++) slots[this.#length + i] = slots[i];
    this.#slots = slots;
    this.#length = length;
  }

  #letGo(): void {
    const isUsed = this.#sizeLately * 8 >= this.#length;
    this.#sizeLately = 0;
    if (isUsed) return;
    this.#slots = noSlots;
    this.#length = 0;
    this.#first = 0;
  }
}
