// Keeps a canvas drawn: what is expensive is drawn into a bitmap larger than what is seen, which is only copied while somebody
// drags or zooms, and drawn anew when the view is at rest.
import { drawAxes } from "./axes.ts";
import { fit, margins, type Camera, type Size } from "./camera.ts";
import { drawPicture } from "./draw.ts";
import type { Picture } from "./picture.ts";
import type { Colours } from "../colours.svelte.ts";
import { spritesOf, type Sprites } from "./sprites.ts";

const restMs = 140;
const edgesMax = 40_000;
const movingEdgesMax = 2_500;
/** How much larger than the canvas the bitmap is, to each side. */
const overhang = 0.35;
const bitmapPixelsMax = 12e6;

export class Painter {
  readonly #canvas: HTMLCanvasElement;
  readonly #bitmap = document.createElement("canvas");
  #bitmapCamera: Camera | null = null;
  #bitmapSize: Size = { width: 0, height: 0 };
  #picture: Picture | null = null;
  #camera: Camera = { scaleX: 1, scaleY: 1, left: 0, top: 0 };
  #size: Size = { width: 0, height: 0 };
  #ratio = 1;
  #colours: Colours;
  #sprites: Sprites | null = null;
  #frame = 0;
  #restTimer: ReturnType<typeof setTimeout> | undefined;
  #isMoving = false;
  #isStale = true;

  constructor(canvas: HTMLCanvasElement, colours: Colours) {
    this.#canvas = canvas;
    this.#colours = colours;
  }

  resize(size: Size): void {
    this.#size = size;
    // More than two pixels for one is not seen, and four times the work.
    this.#ratio = Math.min(2, devicePixelRatio);
    this.#canvas.width = Math.max(1, Math.round(size.width * this.#ratio));
    this.#canvas.height = Math.max(1, Math.round(size.height * this.#ratio));
    this.#sprites = null;
    this.#later(true);
  }

  /** Colours have changed. */
  recolour(colours: Colours): void {
    this.#colours = colours;
    this.#sprites = null;
    this.#later(true);
  }

  show(picture: Picture, camera: Camera): void {
    if (picture.scene.populations.length !== this.#picture?.scene.populations.length) this.#sprites = null;
    if (picture.layout !== this.#picture?.layout && !this.#isMoving) this.#bitmapCamera = null;
    this.#picture = picture;
    this.#camera = camera;
    this.#later(true);
  }

  /** The view moves, and will go on moving. */
  move(camera: Camera): void {
    this.#camera = camera;
    this.#isMoving = true;
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => {
      this.#isMoving = false;
      this.#later(true);
    }, restMs);
    this.#later(false);
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#restTimer);
  }

  #later(isStale: boolean): void {
    this.#isStale ||= isStale;
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#paint());
  }

  #paint(): void {
    this.#frame = 0;
    const picture = this.#picture;
    const context = this.#canvas.getContext("2d");
    if (picture === null || context === null || this.#size.width < 2) return;
    if (this.#isMoving ? !this.#covers(picture) : this.#isStale) {
      this.#renew(picture);
      this.#isStale = this.#isMoving;
    }
    const { width, height } = this.#size;
    const canvas = { context, camera: this.#camera, size: this.#size, colours: this.#colours };
    context.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    drawAxes(canvas, picture.layout, "lines");
    this.#copy(context);
    drawAxes(canvas, picture.layout, "figures");
  }

  #copy(context: CanvasRenderingContext2D): void {
    const from = this.#bitmapCamera;
    if (from === null) return;
    const { width, height } = this.#size;
    const [byX, byY] = [this.#camera.scaleX / from.scaleX, this.#camera.scaleY / from.scaleY];
    context.save();
    context.beginPath();
    context.rect(margins.left, 0, width - margins.left, height - margins.bottom);
    context.clip();
    context.imageSmoothingEnabled = !this.#isMoving;
    context.drawImage(
      this.#bitmap,
      this.#camera.left - from.left * byX,
      this.#camera.top - from.top * byY,
      this.#bitmapSize.width * byX,
      this.#bitmapSize.height * byY,
    );
    context.restore();
  }

  /** Whether the bitmap has all that is seen, in about its size. */
  #covers({ layout: { bounds } }: Picture): boolean {
    const from = this.#bitmapCamera;
    if (from === null) return false;
    const camera = this.#camera;
    const [byX, byY] = [camera.scaleX / from.scaleX, camera.scaleY / from.scaleY];
    if (byX > 2 || byX < 0.6 || Math.abs(byX / byY - 1) > 0.01) return false;
    const left = camera.left - from.left * byX;
    const top = camera.top - from.top * byY;
    const seenLeft = Math.max(margins.left, bounds.left * camera.scaleX + camera.left);
    const seenRight = Math.min(this.#size.width, bounds.right * camera.scaleX + camera.left);
    const seenTop = Math.max(0, camera.top - bounds.top * camera.scaleY);
    const seenBottom = Math.min(
      this.#size.height - margins.bottom,
      camera.top - bounds.bottom * camera.scaleY,
    );
    return (
      (seenLeft >= seenRight ||
        (left <= seenLeft + 1 && left + this.#bitmapSize.width * byX >= seenRight - 1)) &&
      (seenTop >= seenBottom || (top <= seenTop + 1 && top + this.#bitmapSize.height * byY >= seenBottom - 1))
    );
  }

  #renew(picture: Picture): void {
    const whole = fit(picture.layout, this.#size);
    const isZoomed = this.#camera.scaleX > whole.scaleX * 1.01;
    const ratio = this.#ratio;
    // Of what is seen whole there is nothing beyond.
    const more =
      isZoomed &&
      this.#size.width * this.#size.height * ratio ** 2 * (1 + 2 * overhang) ** 2 < bitmapPixelsMax
        ? overhang
        : 0.02;
    const [beyondX, beyondY] = [Math.ceil(this.#size.width * more), Math.ceil(this.#size.height * more)];
    const size = { width: this.#size.width + 2 * beyondX, height: this.#size.height + 2 * beyondY };
    const [pixelsX, pixelsY] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    if (this.#bitmap.width !== pixelsX || this.#bitmap.height !== pixelsY)
      [this.#bitmap.width, this.#bitmap.height] = [pixelsX, pixelsY];
    const context = this.#bitmap.getContext("2d");
    if (context === null) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const camera = { ...this.#camera, left: this.#camera.left + beyondX, top: this.#camera.top + beyondY };
    const radius = radiusOf(picture, this.#camera.scaleX / whole.scaleX);
    if (this.#sprites?.radius !== radius)
      this.#sprites = spritesOf(this.#colours, {
        radius,
        ratio,
        populations: picture.scene.populations.length,
      });
    drawPicture(
      { context, camera, size, colours: this.#colours, sprites: this.#sprites },
      picture,
      this.#isMoving ? movingEdgesMax : edgesMax,
    );
    this.#bitmapCamera = camera;
    this.#bitmapSize = size;
  }
}

// The more of them there are to be seen, the smaller they are.
function radiusOf({ scene }: Picture, zoomed: number): number {
  const seen = scene.size / Math.max(1, zoomed * zoomed);
  return seen > 4_000 ? 2.5 : seen > 1_200 ? 3.2 : seen > 250 ? 4 : 5;
}
