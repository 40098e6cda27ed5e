import { ButtonLink } from "../../ui/button.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { SHELL } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";

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
