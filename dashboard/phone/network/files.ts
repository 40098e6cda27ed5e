export async function base64Of(file: Blob): Promise<string> {
  const address = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result as string));
    reader.addEventListener("error", () => reject(reader.error ?? new Error("the file cannot be read")));
    reader.readAsDataURL(file);
  });
  return address.slice(address.indexOf(",") + 1);
}

const UNITS = [
  ["megabyte", 1024 * 1024],
  ["kilobyte", 1024],
] as const;

export function sizeText(bytes: number, language: string): string {
  const [unit, divisor] = UNITS.find(([, least]) => bytes >= least) ?? (["byte", 1] as const);
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit,
    unitDisplay: unit === "byte" ? "long" : "short",
    maximumFractionDigits: 1,
  }).format(bytes / divisor);
}
