import type { ReactNode } from "react";
import { ChoiceMenus } from "../../shell/choices.tsx";
import { Brand } from "../../ui/brand.tsx";
import { PageTitle } from "../../ui/heading.tsx";

export function EntryPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="entry grid min-h-dvh grid-rows-[auto_1fr]">
      <header className="flex items-center justify-between border-b border-line bg-surface px-4 py-1.5">
        <Brand />
        <ChoiceMenus />
      </header>
      <main className="mx-auto grid w-full max-w-[28rem] min-w-0 content-start gap-4 px-4 py-10 sm:my-8 sm:self-center sm:rounded-lg sm:bg-surface sm:p-8">
        <PageTitle>{title}</PageTitle>
        {children}
      </main>
    </div>
  );
}
