import go from "../../src/guides/snippets/connection/verify.go?raw";
// The linter looks for a default export in the file itself, but `?raw` imports its text.
// oxlint-disable-next-line import/default
import node from "../../src/guides/snippets/connection/verify.js?raw";
import php from "../../src/guides/snippets/connection/verify.php?raw";
import python from "../../src/guides/snippets/connection/verify.py?raw";

export const VERIFIERS = [
  { id: "node", label: "Node", code: node },
  { id: "python", label: "Python", code: python },
  { id: "php", label: "PHP", code: php },
  { id: "go", label: "Go", code: go },
] as const;
