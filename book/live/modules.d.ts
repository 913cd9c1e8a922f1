// What the bundler provides beside TypeScript: Python files as text, and facts of the build.

declare module "*.py" {
  const text: string;
  export default text;
}

declare module "virtual:python" {
  /** The version of Pyodide, and of what is built into the course's package. */
  export const version: string;
  /** The bytes of each file that is fetched to start Python. */
  export const sizes: Record<string, number>;
  /** The packages that the publisher has put beside Python: none, unless there is a full Pyodide. */
  export const packages: string[];
}
