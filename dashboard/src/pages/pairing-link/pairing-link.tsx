import { Languages } from "lucide-react";
import type { ReactNode } from "react";
import type { Refused } from "../../api/refused.ts";
import { Brand } from "../../ui/brand.tsx";
import { Button } from "../../ui/button.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { useLanguage } from "../../texts/language.ts";
import { changeLanguage, useTexts } from "../../texts/catalog.ts";
import { PAIRING_LINK } from "../../texts/catalogs.ts";
import { type Pairing, usePairing } from "./use-pairing.ts";
import { Working } from "./working.tsx";

export function PairingLink() {
  const texts = useTexts(PAIRING_LINK);
  const { pairing, again } = usePairing();
  return (
    <div className="mx-auto grid min-h-dvh w-full max-w-xl content-start gap-6 px-4 py-6 sm:py-10">
      <header className="flex items-center justify-between gap-4">
        <Brand />
        <LanguageButton />
      </header>
      <main className="grid gap-5">
        <PageTitle>{texts.title}</PageTitle>
        <Content pairing={pairing} again={again} />
      </main>
    </div>
  );
}

function LanguageButton() {
  const texts = useTexts(PAIRING_LINK);
  const other = useLanguage() === "pt" ? "en" : "pt";
  return (
    <Button kind="quiet" icon={Languages} lang={other === "pt" ? "pt-BR" : "en"} onClick={() => void changeLanguage(other)}>
      {texts.other}
    </Button>
  );
}

function Content({ pairing, again }: { pairing: Pairing; again: () => void }) {
  const texts = useTexts(PAIRING_LINK);
  switch (pairing.at) {
    case "opening":
      return <Loading label={texts.opening} />;
    case "none":
      return <Outcome {...texts.none} />;
    case "done":
      return <Outcome {...texts.done} mark="●" tone="text-good" />;
    case "ended":
      return <Outcome {...texts.ended[pairing.why]} mark={pairing.why === "used" ? "●" : "○"} />;
    case "refused":
      return <NotOpened refused={pairing.refused} again={again} />;
    case "working":
      return <Working link={pairing.link} now={pairing.now} isLost={pairing.isLost} />;
  }
}

function NotOpened({ refused, again }: { refused: Refused; again: () => void }) {
  const texts = useTexts(PAIRING_LINK);
  if (refused.code === "unauthorized" || refused.code === "validation_error") return <Outcome {...texts.wrong} mark="▲" tone="text-bad" />;
  if (refused.code === "too_many_attempts")
    return <Outcome title={texts.wrong.title} text={texts.tooMany(Math.ceil((refused.retryAfter ?? 60) / 60))} mark="▲" tone="text-bad" />;
  return (
    <Box>
      <Failed refused={refused} onAgain={again} />
    </Box>
  );
}

function Outcome({ title, text, mark, tone = "text-soft" }: { title: string; text: string; mark?: string; tone?: string }) {
  return (
    <Box>
      <div role="status" className="grid gap-2 p-4 sm:p-6">
        <p className="text-lg font-semibold">
          {mark !== undefined && (
            <span aria-hidden className={tone}>
              {mark}{" "}
            </span>
          )}
          {title}
        </p>
        <p className="max-w-prose text-soft">{text}</p>
      </div>
    </Box>
  );
}

function Box({ children }: { children: ReactNode }) {
  return <div className="rounded-lg bg-surface">{children}</div>;
}
