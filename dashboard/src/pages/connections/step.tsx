import { useChange } from "../../api/cache.ts";
import { refusalText } from "../../api/refused.ts";
import type { NextStep } from "../../domain/connection-list.ts";
import { Button, ButtonLink, type ButtonKind } from "../../ui/button.tsx";
import { toast } from "../../ui/toast.tsx";
import { useLanguage } from "../../texts/language.ts";
import { useTexts } from "../../texts/catalog.ts";
import { CONNECTIONS } from "../../texts/catalogs.ts";

type StepProps = {
  connection: { id: number; name: string; role: "owner" | "operator" | "viewer" };
  step: NextStep;
  kind?: ButtonKind;
};

export function StepButton({ connection: { id, name, role }, step, kind = "plain" }: StepProps) {
  const texts = useTexts(CONNECTIONS);
  const language = useLanguage();
  const connect = useChange("POST /connections/{id}/connect", ["GET /connections", "GET /connections/{id}"]);
  if (step === null) return null;
  const label = texts[step];
  const named = texts.named(label, name);
  const params = { id: String(id) };
  if (step === "read") {
    return (
      <ButtonLink to="/connections/$id" params={params} aria-label={named} kind={kind}>
        {label}
      </ButtonLink>
    );
  }
  if (role === "viewer") {
    return (
      <Button aria-label={named} kind={kind} why={texts.viewer}>
        {label}
      </Button>
    );
  }
  if (step === "pair") {
    return (
      <ButtonLink to="/connections/$id/pair" params={params} aria-label={named} kind={kind}>
        {label}
      </ButtonLink>
    );
  }
  return (
    <Button
      aria-label={named}
      kind={kind}
      busy={connect.isPending}
      onClick={() =>
        connect.mutate(
          { id, force_new_pairing: false },
          {
            onSuccess: () => toast(texts.connecting(name)),
            onError: (refused) => toast(`${name}: ${refusalText(refused, language)}`, { kind: "bad" }),
          },
        )
      }
    >
      {label}
    </Button>
  );
}
