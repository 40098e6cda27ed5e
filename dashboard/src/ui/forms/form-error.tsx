import { createContext, use } from "react";
import { type Refused, refusalText } from "../../api/refused.ts";
import { useLanguage } from "../../texts/language.ts";
import { Help } from "../technical.tsx";

export type IssueMap = ReadonlyMap<string, string>;
export const NO_ISSUES: IssueMap = new Map();

/** Errors by field name. `elsewhere` has the errors of fields without a control. */
export const Issues = createContext<{ issues: IssueMap; elsewhere: IssueMap | null }>({ issues: NO_ISSUES, elsewhere: null });

export function FormError({ refused }: { refused: Refused | null }) {
  const language = useLanguage();
  const elsewhere = use(Issues).elsewhere ?? refused?.issues ?? NO_ISSUES;
  return (
    <div role="alert" className="empty:absolute">
      {refused !== null && (
        <div className="grid gap-1.5 rounded-md border border-bad bg-surface px-3 py-2">
          <p className="font-semibold text-bad">{refusalText(refused, language)}</p>
          {[...elsewhere].map(([field, issue]) => (
            <p key={field}>
              <code>{field}</code>: {issue}
            </p>
          ))}
          {(elsewhere.size > 0 || refused.issues.size === 0) && <Help refused={refused} />}
        </div>
      )}
    </div>
  );
}
