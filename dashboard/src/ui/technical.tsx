// Details of a failure for support and developers, collapsed by default, so that only the sentence above is visible.
import { UI } from "../texts/catalogs.ts";
import { useTexts } from "../texts/catalog.ts";
import type { Refused } from "../api/refused.ts";

export function Technical({ refused: { code, status, requestId } }: { refused: Refused }) {
  const texts = useTexts(UI).technical;
  if (requestId === null) return null;
  return (
    <details className="text-sm text-soft">
      <summary className="w-fit cursor-pointer underline-offset-2 hover:underline">{texts.title}</summary>
      <p>
        {texts.requestId}: <code className="break-all select-all">{requestId}</code>
      </p>
      <p>
        {texts.code}: <code>{code}</code>
        {status > 0 && ` (HTTP ${status})`}
      </p>
    </details>
  );
}
