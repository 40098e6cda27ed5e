// Guides are bundled as text: `[[rules]]` of wrangler.toml, and the loader of the sandbox's bundle.
declare module "*.md" {
  const text: string;
  export default text;
}
