// What mouse, pen and fingers do on the canvas: drag, zoom by wheel or by two fingers, click.
export interface Gestures {
  pan(x: number, y: number): void;
  zoom(factor: number, x: number, y: number): void;
  click(x: number, y: number, isFinger: boolean): void;
  hover(x: number, y: number): void;
  leave(): void;
}

const clickPixels = 4;
const fingerClickPixels = 10;

/** Ends with what it returns. */
export function listen(canvas: HTMLCanvasElement, gestures: Gestures): () => void {
  const pointers = new Map<number, { x: number; y: number }>();
  let travelled = 0;
  let wasPinched = false;
  const place = (event: MouseEvent): { x: number; y: number } => {
    const { left, top } = canvas.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const down = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    if (pointers.size === 0) [travelled, wasPinched] = [0, false];
    pointers.set(event.pointerId, place(event));
    wasPinched ||= pointers.size > 1;
    // A pointer that was made by a script cannot be captured.
    if (event.isTrusted) canvas.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent): void => {
    const at = place(event);
    const before = pointers.get(event.pointerId);
    if (before === undefined) {
      if (event.pointerType !== "touch") gestures.hover(at.x, at.y);
      return;
    }
    const [x, y] = [at.x - before.x, at.y - before.y];
    travelled += Math.hypot(x, y);
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    pointers.set(event.pointerId, at);
    if (other === undefined) gestures.pan(x, y);
    else {
      const [was, is] = [distance(before, other), distance(at, other)];
      gestures.pan(x / 2, y / 2);
      if (was > 5 && is > 5) gestures.zoom(is / was, (at.x + other.x) / 2, (at.y + other.y) / 2);
    }
  };
  const up = (event: PointerEvent): void => {
    if (!pointers.delete(event.pointerId) || pointers.size > 0 || wasPinched) return;
    const isFinger = event.pointerType === "touch";
    const at = place(event);
    if (event.type === "pointerup" && travelled <= (isFinger ? fingerClickPixels : clickPixels))
      gestures.click(at.x, at.y, isFinger);
  };
  const wheel = (event: WheelEvent): void => {
    event.preventDefault();
    const { x, y } = place(event);
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : 16;
    gestures.zoom(Math.exp(-Math.max(-300, Math.min(300, event.deltaY * lines)) * 0.002), x, y);
  };
  const ending = new AbortController();
  const { signal } = ending;
  canvas.addEventListener("pointerdown", down, { signal });
  canvas.addEventListener("pointermove", move, { signal });
  canvas.addEventListener("pointerup", up, { signal });
  canvas.addEventListener("pointercancel", up, { signal });
  canvas.addEventListener("pointerleave", () => gestures.leave(), { signal });
  canvas.addEventListener("wheel", wheel, { signal, passive: false });
  return () => ending.abort();
}

function distance(one: { x: number; y: number }, other: { x: number; y: number }): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}
