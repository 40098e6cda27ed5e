import { createContext, use, useState } from "react";
import { type Refused, refusalText } from "../../api/refused.ts";
import { UI } from "../../texts/catalogs.ts";
import { useLanguage } from "../../texts/language.ts";
import { useTexts } from "../../texts/catalog.ts";
import { Technical } from "../technical.tsx";
import { useSecondsLeft } from "../clock.ts";
import { serverNow } from "../../api/server-time.ts";

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
        <div className="rounded-md border border-bad bg-surface px-3 py-2">
          <p className="font-semibold text-bad">{refusalText(refused, language)}</p>
          {[...elsewhere].map(([field, issue]) => (
            <p key={field}>
              <code>{field}</code>: {issue}
            </p>
          ))}
          {refused.retryAfter !== null && <Wait key={refused.requestId} seconds={refused.retryAfter} />}
          <Technical refused={refused} />
        </div>
      )}
    </div>
  );
}

function Wait({ seconds }: { seconds: number }) {
  const texts = useTexts(UI);
  const [until] = useState(() => serverNow() + seconds * 1_000);
  const left = useSecondsLeft(until);
  return left === 0 ? null : (
    <p aria-live="off" className="text-sm">
      {texts.waitSeconds(left)}
    </p>
  );
}
