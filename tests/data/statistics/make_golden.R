#!/usr/bin/env Rscript
# Prints golden_r.txt: what R's own tests and adjustments say of fixed figures. Needs r-base-core.

show <- function(kind, name, ...) {
  cat(kind, name, "\n")
  fields <- list(...)
  for (key in names(fields)) cat(" ", key, formatC(fields[[key]], digits = 17, format = "g", flag = "#"), "\n")
}

signed_rank <- function(name, values, level = 0.95) {
  test <- wilcox.test(values, exact = TRUE, conf.int = TRUE, conf.level = level)
  show("signed_rank", name, values = values, level = level, estimate = test$estimate, low = test$conf.int[1],
       high = test$conf.int[2], p = test$p.value)
}

mann_whitney <- function(name, a, b, level = 0.95) {
  test <- wilcox.test(b, a, exact = TRUE, conf.int = TRUE, conf.level = level)
  show("mann_whitney", name, a = a, b = b, level = level, estimate = test$estimate, low = test$conf.int[1],
       high = test$conf.int[2], p = test$p.value)
}

benjamini_hochberg <- function(name, p) show("benjamini_hochberg", name, p = p, q = p.adjust(p, "BH"))

cat("#", R.version.string, "\n")
# Hollander and Wolfe, Nonparametric Statistical Methods, as ?wilcox.test quotes them.
first <- c(1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30)
second <- c(0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29)
signed_rank("depression", second - first)
mann_whitney("permeability", c(1.15, 0.88, 0.90, 0.74, 1.21),
             c(0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46))
set.seed(6)
for (n in c(10, 16, 25, 49, 60)) signed_rank(paste0("r_normal_", n), round(rnorm(n, 0.3), 6))
for (n in c(7, 15, 30, 49)) mann_whitney(paste0("r_normal_", n), round(rnorm(n), 6), round(rnorm(n + 1, 0.5), 6))
mann_whitney("r_cauchy_10", round(rcauchy(10), 6), round(rcauchy(12, 1), 6), 0.99)

benjamini_hochberg("published", c(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240,
                                  0.4262, 0.5719, 0.6528, 0.7590, 1.000))
benjamini_hochberg("unordered", c(0.04, 0.001, 0.8, 0.03, 0.2, 0.013))
benjamini_hochberg("ties", c(0.02, 0.02, 0.5, 0.02, 1, 0.5))
benjamini_hochberg("alone", 0.03)
benjamini_hochberg("uniform_40", round(runif(40), 6))
