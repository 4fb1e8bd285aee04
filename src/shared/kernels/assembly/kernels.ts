export { blend } from './blend';
export { compose } from './compose';
export { cull } from './cull';
