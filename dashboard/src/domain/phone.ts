/** Formats `5511900000001` as `+55 11 90000-0001`. Brazilian and North American numbers get their usual groups, others groups of three. */
export function groupedPhone(digits: string): string {
  if (!/^\d{5,15}$/.test(digits)) return digits;
  const brazil = /^55(\d{2})(\d{4,5})(\d{4})$/.exec(digits);
  if (brazil !== null) return `+55 ${brazil[1]} ${brazil[2]}-${brazil[3]}`;
  const america = /^1(\d{3})(\d{3})(\d{4})$/.exec(digits);
  if (america !== null) return `+1 ${america[1]} ${america[2]}-${america[3]}`;
  const country = countryCode(digits);
  return `+${country} ${grouped(digits.slice(country.length))}`;
}

/** Returns the digits of a Brazilian number, or null. Accepts it with or without 55, and with or without 0 before the area code. */
function brazilianDigits(text: string): string | null {
  const digits = text.replaceAll(/\D/g, "").replace(/^0+/, "");
  return /^[1-9]{2}\d{8,9}$/.test(digits) ? `55${digits}` : BRAZILIAN.test(digits) ? digits : null;
}

const BRAZILIAN = /^55[1-9]{2}\d{8,9}$/;

type Rules = { digitsIn: (text: string, country: string) => string | null };

/** Returns the digits with the country code. A `+` or `00` takes precedence over `country`. `rules` is null while they are loading. */
export function readPhone(text: string, country: string, rules: Rules | null): string | null {
  const written = text.trim();
  if (!/^[\d\s().+/-]+$/.test(written)) return null;
  const international = /^(?:\+|00)/.test(written);
  const digits = written.replaceAll(/\D/g, "").replace(/^00/, "");
  if (international) return (digits.startsWith("55") ? BRAZILIAN : /^[1-9]\d{6,14}$/).test(digits) ? digits : null;
  if (country === "BR") return brazilianDigits(written);
  return rules?.digitsIn(written, country) ?? null;
}

/** Two-digit country codes. The one-digit codes are 1 and 7, and all others have three digits. */
const TWO_DIGITS = /^(?:2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;

function countryCode(digits: string): string {
  if (/^[17]/.test(digits)) return digits.slice(0, 1);
  return digits.slice(0, TWO_DIGITS.test(digits) ? 2 : 3);
}

/** Groups of three digits from the left. If a single digit is left over, it joins the group before it. */
function grouped(digits: string): string {
  const groups: string[] = [];
  for (let at = 0; at < digits.length; at += 3) groups.push(digits.slice(at, at + 3));
  const last = groups.at(-1) ?? "";
  if (groups.length > 1 && last.length === 1) groups.splice(-2, 2, (groups.at(-2) ?? "") + last);
  return groups.join(" ");
}
