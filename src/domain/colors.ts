// Labels have a colour number of 0-19 with a fixed shade, status posts use ARGB integers, and the APIs use `#rrggbb`.

const SHADES = [
  "#ff9485",
  "#64c4ff",
  "#ffd429",
  "#dfaef0",
  "#99b6c1",
  "#55ccb3",
  "#ff9dff",
  "#d3a91d",
  "#6d7cce",
  "#d7e752",
  "#00d0e2",
  "#ffc5c7",
  "#93ceac",
  "#f74848",
  "#00a0f2",
  "#83e422",
  "#ffaf04",
  "#b5ebff",
  "#9ba6ff",
  "#9368cf",
] as const;

export function colorOfHex(hex: string): number | null {
  const color = SHADES.findIndex((shade) => shade === hex.toLowerCase());
  return color === -1 ? null : color;
}

export function colorHex(color: number): string | null {
  return SHADES[color] ?? null;
}

const OPAQUE = 0xff000000;
const RGB = 0xffffff;

export function argbOf(hex: string): number {
  return OPAQUE + Number.parseInt(hex.slice(1), 16);
}

export function hexOf(argb: number): string {
  return `#${(argb & RGB).toString(16).padStart(6, "0").toUpperCase()}`;
}
