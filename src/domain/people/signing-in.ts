/** The path to return to. It is "/" unless the path is a dashboard page, so that it cannot redirect to another site. */
export function pathWithin(asked: string | undefined, appUrl: string): string {
  if (asked === undefined || !asked.startsWith("/") || asked.length > MAX_PATH_CHARACTERS) return "/";
  const { origin } = new URL(appUrl);
  const url = URL.canParse(asked, origin) ? new URL(asked, origin) : null;
  if (url === null || url.origin !== origin || url.pathname.startsWith("//") || url.pathname.startsWith("/api/")) return "/";
  return url.pathname + url.search + url.hash;
}

const MAX_PATH_CHARACTERS = 1_000;

export function isLoopbackUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { hostname } = new URL(text);
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

export type Device = { browser: string | null; system: string | null };

/** The first match wins, because browsers also list the names of the browsers that they derive from. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\b(?:OPR|OPiOS)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bVersion\/[\d.]+.*\bSafari\//, "Safari"],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, "Android"],
  [/\biPad\b/, "iPadOS"],
  [/\b(?:iPhone|iPod)\b/, "iOS"],
  [/\bWindows NT\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMacintosh\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

export function deviceOf(userAgent: string): Device {
  const first = (table: typeof BROWSERS) => table.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null;
  return { browser: first(BROWSERS), system: first(SYSTEMS) };
}
