// Loaded before every script of package.json: says which Node is needed, where an older one would only complain of the file name. Plain
// JavaScript, since an older Node reads nothing else. The Node of the package `node` gets its binary from that package's install script.
const REQUIRED = [24, 12];

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < REQUIRED[0] || (major === REQUIRED[0] && minor < REQUIRED[1])) {
  console.error(
    `expected Node ${REQUIRED.join('.')} or later, got ${process.versions.node}: the binary of the package "node" is not installed. ` +
      'npm ci installs it, and npm ci --ignore-scripts does not; to add it: npm rebuild node',
  );
  process.exit(1);
}
