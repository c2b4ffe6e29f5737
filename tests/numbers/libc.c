/* What C's operators and library give for operands on standard input: a line for each, `NAME A B`
   with the bits of the operands in hexadecimal. Results are the same, in a line each: `f` and the bits
   of a float, `i` and an integer. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static double of_bits(unsigned long long bits) {
  uint64_t word = bits;
  double value;
  memcpy(&value, &word, sizeof value);
  return value;
}

static void put(double value) {
  uint64_t word;
  memcpy(&word, &value, sizeof word);
  printf("f%llx\n", (unsigned long long)word);
}

#define FLOAT(NAME, VALUE) if (!strcmp(name, NAME)) { put(VALUE); continue; }
#define INTEGER(NAME, VALUE) if (!strcmp(name, NAME)) { printf("i%lld\n", (long long)(VALUE)); continue; }

int main(void) {
  char name[16];
  unsigned long long first, second;
  while (scanf("%15s %llx %llx", name, &first, &second) == 3) {
    double a = of_bits(first), b = of_bits(second);
    FLOAT("fadd", a + b)
    FLOAT("fsub", a - b)
    FLOAT("fmul", a * b)
    FLOAT("fdiv", a / b)
    FLOAT("frem", fmod(a, b))
    FLOAT("fpow", pow(a, b))
    FLOAT("fatan2", atan2(a, b))
    FLOAT("fhypot", hypot(a, b))
    FLOAT("fcopysign", copysign(a, b))
    FLOAT("fneg", -a)
    FLOAT("fabs", fabs(a))
    FLOAT("fsqrt", sqrt(a))
    FLOAT("fcbrt", cbrt(a))
    FLOAT("fexp", exp(a))
    FLOAT("fexp2", exp2(a))
    FLOAT("fexpm1", expm1(a))
    FLOAT("flog", log(a))
    FLOAT("flog2", log2(a))
    FLOAT("flog10", log10(a))
    FLOAT("flog1p", log1p(a))
    FLOAT("fsin", sin(a))
    FLOAT("fcos", cos(a))
    FLOAT("ftan", tan(a))
    FLOAT("fasin", asin(a))
    FLOAT("facos", acos(a))
    FLOAT("fatan", atan(a))
    FLOAT("fsinh", sinh(a))
    FLOAT("fcosh", cosh(a))
    FLOAT("ftanh", tanh(a))
    FLOAT("fasinh", asinh(a))
    FLOAT("facosh", acosh(a))
    FLOAT("fatanh", atanh(a))
    FLOAT("ffloor", floor(a))
    FLOAT("fceil", ceil(a))
    FLOAT("ftrunc", trunc(a))
    FLOAT("fround", round(a))
    FLOAT("frint", rint(a))
    INTEGER("feq", a == b)
    INTEGER("fneq", a != b)
    INTEGER("flt", a < b)
    INTEGER("fle", a <= b)
    INTEGER("fgt", a > b)
    INTEGER("fge", a >= b)
    FLOAT("itof", (double)(int64_t)first)
    INTEGER("ftoi", (int64_t)a)
    INTEGER("ftobits", (int64_t)first)
    FLOAT("bitstof", a)
    fprintf(stderr, "%s is nothing of C\n", name);
    return 1;
  }
  return 0;
}
