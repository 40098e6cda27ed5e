import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { Refused } from "../api/refused.ts";
import { Brand } from "../ui/brand.tsx";
import { PageTitle } from "../ui/heading.tsx";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Failed } from "../ui/states.tsx";
import { SHELL } from "../texts/catalogs.ts";
import { useTexts } from "../texts/catalog.ts";
import { reloadIfMissing } from "./deployment.ts";

export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const { broken: texts, notFound } = useTexts(SHELL);
  useEffect(() => void reloadIfMissing(), []);
  const again = async () => {
    await reloadIfMissing(true);
    await router.invalidate();
    reset();
  };
  if (error instanceof Refused && error.code === "instance_not_found") return <NotFound />;
  return (
    <Notice picture="!" title={texts.title}>
      {error instanceof Refused ? <Failed refused={error} onAgain={again} /> : <p>{texts.text}</p>}
      {!(error instanceof Refused) && <Button onClick={() => void again()}>{texts.again}</Button>}
      <ButtonLink to="/connections" kind="quiet">
        {notFound.home}
      </ButtonLink>
    </Notice>
  );
}

export function WholePageError(given: ErrorComponentProps) {
  return (
    <WholePage>
      <PageError {...given} />
    </WholePage>
  );
}

export function NotFound() {
  const texts = useTexts(SHELL).notFound;
  return (
    <Notice picture="404" title={texts.title}>
      <p>{texts.text}</p>
      <ButtonLink to="/connections" kind="primary">
        {texts.home}
      </ButtonLink>
    </Notice>
  );
}

export function NotFoundPage() {
  return (
    <WholePage>
      <NotFound />
    </WholePage>
  );
}

function WholePage({ children }: { children: ReactNode }) {
  return (
    <>
      <header className="border-b border-line bg-surface px-4 py-2.5">
        <Brand />
      </header>
      <main>{children}</main>
    </>
  );
}

function Notice({ picture, title, children }: { picture: string; title: string; children: ReactNode }) {
  return (
    <div className="notice">
      <span aria-hidden className="bubbles">
        {picture}
      </span>
      <PageTitle>{title}</PageTitle>
      {children}
    </div>
  );
}
