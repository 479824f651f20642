// The messages that wait for a process, in a ring of pairs: what kind each is, and its content. A message that waits is no object
// of its own, which every collection would copy while many wait. The ring has no prototype, so that no access goes through one
// that the guest can patch. A call may be cut in any loop and at the beginning of any function: no message is lost or doubled then.
import { setPrototypeOf } from "../../model/wire/intrinsics.ts";

/** A message, of whatever kinds there are. */
interface AnyEnvelope {
  readonly kind: string;
  readonly content: unknown;
}

const slotsMin = 4;
/** A ring of more slots than this is let go when it is empty, unless a quarter of it was used since it was empty before. */
const slotsKept = 256;

const noSlots: unknown[] = [];

export class Mailbox<Envelope extends AnyEnvelope> {
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

  /** What kind the next message is; undefined where there is none. */
  get nextKind(): Envelope["kind"] | undefined {
    return this.#size === 0 ? undefined : this.#kindAt(this.#first);
  }

  push({ kind, content }: Envelope): void {
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

  shift(): Envelope | undefined {
    if (this.#size === 0) return undefined;
    const kind = this.#kindAt(this.#first);
    const content = this.shiftContent();
    return kind === undefined ? undefined : ({ kind, content } as Envelope); // As it was pushed.
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
  take(isWanted: (envelope: Envelope) => boolean): Envelope | undefined {
    for (let index = 0; index < this.#size;) {
      const takes = this.#takes;
      const envelope = this.#at(index);
      const isTaken = envelope !== undefined && isWanted(envelope);
      // It is not known any more which message is where.
      if (takes !== this.#takes) index = 0;
      else if (isTaken) return this.#takeOut(index, envelope);
      else index++;
    }
    return undefined;
  }

  each(visit: (envelope: Envelope) => void): void {
    for (let index = 0; index < this.#size; index++) {
      const envelope = this.#at(index);
      if (envelope !== undefined) visit(envelope);
    }
  }

  // Undefined where the place is empty.
  #at(index: number): Envelope | undefined {
    const at = this.#slotOf(index);
    const kind = this.#kindAt(at);
    return kind === undefined ? undefined : ({ kind, content: this.#slots[at + 1] } as Envelope); // As it was pushed.
  }

  #kindAt(at: number): Envelope["kind"] | undefined {
    return this.#slots[at] as Envelope["kind"] | undefined; // As it was pushed.
  }

  #slotOf(index: number): number {
    return (this.#first + index * 2) & (this.#length - 1);
  }

  // Those before it move up by one, and the first place is given up. Each turn ends with one place empty and all others in use:
  // where it is cut, an empty place stays behind, which is passed over.
  #takeOut(index: number, envelope: Envelope): Envelope {
    const slots = this.#slots;
    let at = this.#slotOf(index);
    slots[at] = undefined;
    slots[at + 1] = undefined;
    for (let i = index; i > 0; i--) {
      const before = (at - 2) & (this.#length - 1);
      slots[at] = slots[before];
      slots[at + 1] = slots[before + 1];
      slots[before] = undefined;
      slots[before + 1] = undefined;
      at = before;
    }
    this.shiftContent();
    return envelope;
  }

  // The ring is full. What is before the first place is behind the last one then.
  #grow(): void {
    const slots = this.#length === 0 ? (setPrototypeOf([], null) as unknown[]) : this.#slots;
    const length = this.#length === 0 ? slotsMin : this.#length * 2;
    for (let i = this.#length; i < length; i++) slots[i] = undefined;
    for (let i = 0; i < this.#first; i++) slots[this.#length + i] = slots[i];
    this.#slots = slots;
    this.#length = length;
    for (let i = 0; i < this.#first; i++) slots[i] = undefined;
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
