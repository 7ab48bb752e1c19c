export { createAdmission, type Admission, type AnswerHeaders, type Visitor } from './admission.js';
export { createRateLimiter } from './rate-limiter.js';
