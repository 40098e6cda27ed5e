import { User, Users } from "lucide-react";
import type { CSSProperties } from "react";

type AvatarProps = { name: string | null; group?: boolean; small?: boolean; large?: boolean };

/** The avatar is decorative, because the name is shown beside it. */
export function Avatar({ name, group = false, small = false, large = false }: AvatarProps) {
  const initials = initialsOf(name ?? "");
  const Icon = group ? Users : User;
  const size = large ? "aspect-square w-24 text-2xl" : small ? "size-9 text-sm" : "size-11";
  return (
    <span aria-hidden style={{ "--hue": hueOf(name ?? "") } as CSSProperties} className={`avatar private ${size}`}>
      {initials === "" ? <Icon size={large ? 40 : small ? 16 : 20} /> : initials}
    </span>
  );
}

/** The same name always has the same hue (0 to 359). */
const hueOf = (name: string): number => [...name].reduce((hue, letter) => (hue * 31 + (letter.codePointAt(0) ?? 0)) % 360, 0);

/** Turns "Ana Paula Souza" into "AS". Empty for a name without letters, such as a phone number. */
function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^\p{L}/u.test(word));
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => word?.match(/^\p{L}/u)?.[0] ?? "");
  return letters.join("").toLocaleUpperCase();
}
