// Colours on the network are numbers, alpha first; people write `#RRGGBB`.

const OPAQUE = 0xff000000;
const RGB = 0xffffff;

export function argbOf(hex: string): number {
  return OPAQUE + Number.parseInt(hex.slice(1), 16);
}

export function hexOf(argb: number): string {
  return `#${(argb & RGB).toString(16).padStart(6, "0").toUpperCase()}`;
}
