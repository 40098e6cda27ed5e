import { type ReactNode, useState } from "react";

/** Folds long, optional parts on phones. `open` means that something inside needs attention. */
export function PhoneFold({ label, open = false, children }: { label: string; open?: boolean; children: ReactNode }) {
  const [isPhone] = useState(() => matchMedia("(max-width: 47.99rem)").matches);
  if (!isPhone) return children;
  return (
    <details open={open} className="min-w-0">
      <summary className="flex min-h-11 w-fit cursor-pointer items-center text-accent underline underline-offset-2">{label}</summary>
      <div className="grid min-w-0 gap-4 pt-2">{children}</div>
    </details>
  );
}
