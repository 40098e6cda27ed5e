import type { ReactNode } from "react";
import { ChoiceMenus } from "../../shell/choices.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { SHELL } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";

export function EntryPage({ title, children }: { title: string; children: ReactNode }) {
  const texts = useTexts(SHELL);
  return (
    <div className="grid min-h-dvh grid-rows-[auto_1fr]">
      <header className="flex items-center justify-between border-b border-line bg-surface px-4 py-1.5">
        <span className="flex items-center gap-2 font-semibold">
          <img src="/favicon.svg" alt="" width={24} height={24} />
          {texts.product}
        </span>
        <ChoiceMenus />
      </header>
      <main className="mx-auto grid w-full max-w-[26rem] min-w-0 content-start gap-4 px-4 py-10 sm:py-16">
        <PageTitle>{title}</PageTitle>
        {children}
      </main>
    </div>
  );
}
