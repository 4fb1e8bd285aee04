/*
 * The polynomials that kernels and the loops beside them share. Each was fitted by a weighted least
 * squares that is repeated until the largest error is least (Lawson), over 400 Chebyshev nodes,
 * against 30 digits; then one coefficient after the other, from the lowest, was rounded to f32 and
 * held while the rest was fitted again. Behind each stands the largest error of the polynomial with
 * the rounded coefficients, in exact arithmetic. One more for the arc does not make a slerp in f32
 * more exact; one less for the sine makes its largest error five times as large.
 */

// arccos(1 - y)^2 = y (A0 + A1 y + ... + A6 y^6) for 0 <= y <= 1: within 6.9e-7.
export const ARC_0 = 2;
export const ARC_1 = 0.33329400420188904;
export const ARC_2 = 0.0895979255437851;
export const ARC_3 = 0.024367040023207664;
export const ARC_4 = 0.02132556028664112;
export const ARC_5 = -0.010330676101148129;
export const ARC_6 = 0.009146565571427345;

// sin(r) / r = 1 + S1 u + ... + S4 u^4 with u = r^2, for r <= pi / 2: within 5.3e-9.
export const SINC_1 = -0.16666661202907562;
export const SINC_2 = 0.00833310279995203;
export const SINC_3 = -0.00019812000391539186;
export const SINC_4 = 2.610626324894838e-6;

// sin(f pi / 2) = f (T0 + T1 v + T2 v^2 + T3 v^3) with v = f^2, for |f| <= 1/2: within 2.2e-8.
export const SINE_0 = 1.5707963705062866;
export const SINE_1 = -0.6459667086601257;
export const SINE_2 = 0.07971354573965073;
export const SINE_3 = -0.004689315799623728;

// cos(f pi / 2) = 1 + C1 v + ... + C4 v^4, likewise: within 4.1e-10.
export const COSINE_1 = -1.2337005138397217;
export const COSINE_2 = 0.25366851687431335;
export const COSINE_3 = -0.020855240523815155;
export const COSINE_4 = 0.0008935071527957916;
