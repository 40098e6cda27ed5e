import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { Refused } from "../api/refused.ts";
import { PageTitle } from "../ui/heading.tsx";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Failed } from "../ui/states.tsx";
import { SHELL } from "../texts/catalogs.ts";
import { useTexts } from "../texts/catalog.ts";
import { isOfOldDeployment, reloadOnce } from "./deployment.ts";

export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const texts = useTexts(SHELL).broken;
  const old = isOfOldDeployment(error);
  useEffect(() => {
    if (old) reloadOnce(location.href);
  }, [old]);
  const again = async () => {
    await router.invalidate();
    reset();
  };
  if (error instanceof Refused && error.code === "instance_not_found") return <NotFound />;
  return (
    <div className="grid justify-items-start gap-3 p-4">
      <PageTitle>{texts.title}</PageTitle>
      {error instanceof Refused ? <Failed refused={error} onAgain={again} /> : <p>{texts.text}</p>}
      {!(error instanceof Refused) && <Button onClick={() => void again()}>{texts.again}</Button>}
    </div>
  );
}

export function WholePageError(given: ErrorComponentProps) {
  return (
    <main className="mx-auto max-w-[40rem] py-8">
      <PageError {...given} />
    </main>
  );
}

export function NotFound() {
  const texts = useTexts(SHELL).notFound;
  return (
    <div className="grid justify-items-start gap-3 p-4">
      <p aria-hidden className="text-soft">
        404
      </p>
      <PageTitle>{texts.title}</PageTitle>
      <p>{texts.text}</p>
      <ButtonLink to="/connections">{texts.home}</ButtonLink>
    </div>
  );
}

export function NotFoundPage() {
  return (
    <main className="mx-auto max-w-[40rem] py-8">
      <NotFound />
    </main>
  );
}
