export {
  createAssemblySubgraph,
  type AssemblyDependencies,
  type AssemblySubgraph,
} from './create-assembly-subgraph.js';
