import { Link } from "@tanstack/react-router";
import { mailPasswordLink } from "../../api/auth.ts";
import { useTexts } from "../../texts/catalog.ts";
import { EntryPage } from "./entry-page.tsx";
import { MailedLink } from "./mailed-link.tsx";
import { SIGN_IN } from "../../texts/catalogs.ts";

export function Forgot() {
  const texts = useTexts(SIGN_IN);
  return (
    <EntryPage title={texts.forgot}>
      <MailedLink about={texts.forgotText} send={mailPasswordLink} />
      <p className="border-t border-line pt-3">
        <Link to="/sign-in" className="underline underline-offset-2">
          {texts.toSignIn}
        </Link>
      </p>
    </EntryPage>
  );
}
