// A forgotten password: a new one is chosen by the mailed link.
import { Link } from "@tanstack/react-router";
import { mailPasswordLink } from "../../api/auth.ts";
import { useWords } from "../../words/words.ts";
import { EntryPage } from "./entry-page.tsx";
import { MailedLink } from "./mailed-link.tsx";
import { SIGN_IN } from "../../words/areas.ts";

export function Forgot() {
  const words = useWords(SIGN_IN);
  return (
    <EntryPage title={words.forgot}>
      <MailedLink about={words.forgotText} send={mailPasswordLink} />
      <p className="border-t border-line pt-3">
        <Link to="/sign-in" className="underline underline-offset-2">
          {words.toSignIn}
        </Link>
      </p>
    </EntryPage>
  );
}
