import { User, Users } from "lucide-react";

type AvatarProps = { name: string | null; group?: boolean; small?: boolean };

/** The avatar is decorative, because the name is shown beside it. */
export function Avatar({ name, group = false, small = false }: AvatarProps) {
  const initials = initialsOf(name ?? "");
  const Icon = group ? Users : User;
  return (
    <span
      aria-hidden
      className={`private grid shrink-0 place-items-center rounded-full bg-tint font-semibold text-soft select-none ${small ? "size-9 text-sm" : "size-11"}`}
    >
      {initials === "" ? <Icon size={small ? 16 : 20} /> : initials}
    </span>
  );
}

/** "Ana Paula Souza" → "AS". Empty for a name without letters, such as a phone number. */
function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^\p{L}/u.test(word));
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => word?.match(/^\p{L}/u)?.[0] ?? "");
  return letters.join("").toLocaleUpperCase();
}
