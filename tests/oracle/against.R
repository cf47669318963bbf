# SPDX-License-Identifier: GPL-3.0-or-later
# What against_r made of its random inputs, made again by R; one row a function:
# values compared, the largest relative difference, how many were beyond the
# tolerance, and the first of these.  Exits 1 when there was one.
#
#	against_r 10000 | Rscript against.R
#
# A difference is relative to the larger of the value and 1e-4 of the largest
# input.  NaN agrees with NaN alone; where R has no word on something, as an exact
# p with ties, it is not counted.

options(warn = -1)

# --- what R makes of it: lists of values, in the order of the results ----------

ends <- function(t) as.numeric(t$conf.int)

r <- list()

r$describe <- function(p, x, y)
	c(mean(x), if (length(x) > 1) sd(x) else NaN, mean(x, trim = p[1]),
	  median(x), mad(x, constant = 1))

r$quantile <- function(p, x, y)
	c(quantile(x, p[1], type = p[2], names = FALSE),
	  quantile(x, p[1], type = 7, names = FALSE))

r$ranks <- function(p, x, y) {
	n <- p[1]; q <- p[2]; a <- (1 - p[3]) / 2
	lo <- qbinom(a, n, q)
	hi <- qbinom(1 - a, n, q) + 1
	c(lo, hi, pbinom(hi - 1, n, q) - pbinom(lo - 1, n, q))
}

r$laws <- function(p, x, y) {
	prob <- p[1]; df <- p[2]; t <- p[3]; a <- p[4]; b <- p[5]
	n <- p[6]; k <- p[7]
	c(pnorm(t), qnorm(prob), pt(t, df), pt(t, df, lower.tail = FALSE),
	  qt(prob, df), pchisq(df * a, df),
	  pchisq(df * a, df, lower.tail = FALSE), qchisq(prob, df),
	  pbeta(prob, a, b), qbeta(prob, a, b), dbinom(k, n, prob),
	  pbinom(k, n, prob), qbinom(prob, n, 0.3))
}

r$paired <- function(p, x, y) {
	two <- t.test(x)
	less <- t.test(x, alternative = "less")
	greater <- t.test(x, alternative = "greater")
	lower <- t.test(x, mu = -p[1], alternative = "greater")$p.value
	upper <- t.test(x, mu = p[1], alternative = "less")$p.value
	without <- (sum(x) - x) / (length(x) - 1)
	c(mean(x), two$statistic, two$parameter, two$p.value, less$p.value,
	  greater$p.value, ends(two), lower, upper, max(lower, upper),
	  min(without), max(without))
}

# All sign vectors of k pairs, a row each.
signs <- local({
	known <- list()
	function(k) {
		key <- as.character(k)
		if (is.null(known[[key]]))
			known[[key]] <<- as.matrix(expand.grid(
			    rep(list(c(-1, 1)), k)))
		known[[key]]
	}
})

flipped <- function(x) {
	s <- as.vector(signs(length(x)) %*% x)
	tie <- 1e-12 * sum(abs(x))
	c(mean(abs(s) >= abs(sum(x)) - tie), mean(s >= sum(x) - tie),
	  mean(s <= sum(x) + tie))
}

# Ends of the interval: the r-th smallest and largest of the 2^k - 1 means of
# subsets, r the largest number with r / 2^(k-1) at most 1 - level.
subset_interval <- function(x, level) {
	k <- length(x)
	r <- floor((1 - level) * 2^(k - 1) + 1e-9)
	if (r < 1)
		return(c(-Inf, Inf, 1))
	take <- (signs(k) + 1) / 2
	take <- take[rowSums(take) > 0, , drop = FALSE]
	means <- sort(as.vector(take %*% x) / rowSums(take))
	c(means[r], means[length(means) + 1 - r], 1 - r / 2^(k - 1))
}

r$flip <- function(p, x, y)
	c(flipped(x), flipped(x + p[1])[2], flipped(x - p[1])[3],
	  subset_interval(x, 0.95))

r$maxt <- function(p, x, y) {
	k <- p[2]
	d <- matrix(x, nrow = p[1], byrow = TRUE)
	s <- signs(k)
	t_of <- function(row) {
		flipped <- s %*% diag(row, k)
		m <- rowMeans(flipped)
		v <- (rowSums(flipped^2) - k * m^2) / (k - 1)
		abs(m) / sqrt(v / k)
	}
	all <- matrix(apply(d, 1, t_of), ncol = nrow(d))
	seen <- apply(d, 1, function(v) abs(mean(v)) / sqrt(var(v) / k))
	order <- order(-seen)
	adjusted <- numeric(nrow(d))
	last <- 0
	for (i in seq_along(order)) {
		left <- order[i:length(order)]
		most <- apply(all[, left, drop = FALSE], 1, max)
		last <- max(last, mean(most >= seen[order[i]] * (1 - 1e-10)))
		adjusted[order[i]] <- last
	}
	adjusted
}

r$adjust <- function(p, x, y)
	p.adjust(x, c("bonferroni", "holm", "hochberg", "BH", "BY")[p[1] + 1])

wilcoxon <- function(ties, test) {
	p <- function(...) test(...)$p.value
	c(test(exact = FALSE)$statistic,
	  if (ties) c(NA, NA, NA)
	  else c(p(exact = TRUE), p(exact = TRUE, alternative = "less"),
	      p(exact = TRUE, alternative = "greater")),
	  p(exact = FALSE, correct = TRUE), p(exact = FALSE, correct = FALSE))
}

# The interval of Hodges and Lehmann where R gives the exact one.
located <- function(ties, n, test) {
	if (ties)
		return(c(NA, NA, NA))
	t <- test(exact = TRUE, conf.int = TRUE)
	c(t$estimate, ends(t))
}

r$signedrank <- function(p, x, y) {
	if (all(x == 0))
		return(rep(NA, 9))
	test <- function(...) wilcox.test(x, ...)
	c(wilcoxon(p[1], test), located(p[1], length(x), test))
}

r$twosample <- function(p, x, y) {
	test <- function(...) wilcox.test(x, y, ...)
	c(wilcoxon(p[1], test), located(p[1], length(x), test),
	  mean(sign(outer(x, y, "-"))))
}

r$welch <- function(p, x, y) {
	t <- t.test(x, y)
	c(mean(x) - mean(y), t$statistic, t$parameter, t$p.value,
	  t.test(x, y, alternative = "less")$p.value,
	  t.test(x, y, alternative = "greater")$p.value, ends(t))
}

r$proportion <- function(p, x, y)
	c(ends(prop.test(p[1], p[2], correct = FALSE)),
	  ends(binom.test(p[1], p[2])))

r$power <- function(p, x, y) {
	k <- p[1]; effect <- p[2]; alpha <- p[3]; want <- p[4]
	of <- function(n, d) {
		crit <- qt(alpha / 2, n - 1, lower.tail = FALSE)
		pt(crit, n - 1, ncp = d * sqrt(n), lower.tail = FALSE) +
		    pt(-crit, n - 1, ncp = d * sqrt(n))
	}
	least <- uniroot(function(d) of(k, d) - want, c(0, 1e4),
	    tol = 1e-12)$root
	n <- 2
	while (n < 1e5 && of(n, effect) < want)
		n <- if (effect < 0.05) Inf else n + 1
	# R's pt is not to be had beyond a non-centrality of 37.62.
	far <- function(d, v) if (d * sqrt(k) > 37) NA else v
	c(far(effect, of(k, effect)), far(least, least), if (n >= 1e5) NA else n,
	  p[5] * sqrt((k - 1) / qchisq(0.2, k - 1)),
	  if (abs(p[8]) < 37) pt(p[6], p[7], ncp = p[8]) else NA)
}

r$fit <- function(p, x, y) {
	line <- lm(y ~ x)
	of <- summary(line)$coefficients
	arm <- rep_len(c(0, 1), length(x))
	both <- lm(y ~ arm + x)
	a <- summary(both)$coefficients
	c(of[1, 1], of[2, c(1, 2, 4)], confint(line)[2, ],
	  a["arm", c(1, 2, 4)], confint(both)["arm", ], a["x", c(1, 2, 4)])
}

r$trend <- function(p, x, y) {
	at <- seq_along(x)
	ties <- anyDuplicated(x) > 0
	slopes <- outer(x, x, "-") / outer(at, at, "-")
	k <- cor.test(at, x, method = "kendall", exact = FALSE)
	s <- cor.test(x, y, method = "spearman", exact = FALSE)
	c(k$estimate, k$p.value,
	  if (ties || length(x) > 50) NA
	  else cor.test(at, x, method = "kendall", exact = TRUE)$p.value,
	  s$estimate, s$p.value, median(slopes[lower.tri(slopes)]))
}

r$series <- function(p, x, y) {
	n <- length(x)
	a <- function(k) acf(x, lag.max = k, plot = FALSE)$acf[k + 1]
	rho <- min(max(a(1) + (1 + 3 * a(1)) / n, 0), 0.98)
	eff <- n * (1 - rho) / (1 + rho)
	half <- if (eff > 1) qt(0.975, eff - 1) * sd(x) / sqrt(eff) else Inf
	box <- Box.test(x, p[1], type = "Ljung-Box")
	fives <- colMeans(matrix(x[seq_len(5 * (n %/% 5))], nrow = 5))
	m <- length(fives)
	g <- sapply(0:(m %/% 2), function(d) {
		rest <- fives[(d + 1):m]
		sum((rest - mean(rest))^2) / (m - d)^2
	})
	cut <- which.min(g) - 1
	size <- n %/% p[2]
	batch <- colMeans(matrix(x[seq_len(size * p[2])], nrow = size))
	t <- t.test(batch)
	# Box.test's own p is 1 - pchisq(), which has no digits where p is small.
	c(a(p[1]), eff, mean(x) - half, mean(x) + half, box$statistic,
	  pchisq(box$statistic, p[1], lower.tail = FALSE), 5 * cut, min(g), cut < m %/% 2, mean(batch),
	  sd(batch) / sqrt(p[2]), ends(t))
}

r$eproc <- function(p, x, y) {
	lambda <- 2^(0.75 * (0:8)) * 0.25 / p[1]
	e <- sapply(seq_along(x), function(k) mean(sapply(
	    c(lambda, -lambda), function(l)
	    prod(2 / (1 + exp(-2 * l * x[seq_len(k)]))))))
	k <- length(x); t <- p[2]; g <- p[3]; v <- k - 1
	c(log(e[k]), min(1, 1 / max(e)),
	  if (k < 2) NaN else -log(1 + k * g) / 2 + k / 2 *
	  log((1 + t^2 / v) / (1 + t^2 / (v * (1 + k * g)))))
}

r$ad <- function(p, x, y) {
	n <- length(x)
	z <- pexp(sort(x), 1 / mean(x))
	i <- seq_len(n)
	c(mean(x), -n - mean((2 * i - 1) * (log(z) + log(1 - rev(z)))))
}

# Where R itself, or the method, promises less than 1e-10: what is asked for of
# the function, and why.
tolerance <- list(
	power = 2e-6)	# R's non-central t is good to some 1e-7

# What values are measured by where the input's size says nothing: logarithms, which
# are as good as what they are the logarithms of; non-central t, which both have
# to an absolute error.
scale <- list(eproc = 1, power = 1e-4)

# --- the comparison ------------------------------------------------------------

numbers <- function(text) as.numeric(strsplit(trimws(text), " ")[[1]])

difference <- function(ours, theirs, scale) {
	if (length(ours) != length(theirs))
		return(Inf)
	d <- abs(ours - theirs) / pmax(abs(ours), abs(theirs), scale)
	d[ours == theirs] <- 0
	d[is.nan(ours) & is.nan(theirs)] <- 0
	d[is.na(theirs) & !is.nan(theirs)] <- 0	# R has no word on it
	d[is.na(d)] <- Inf
	d
}

state <- new.env()
input <- file("stdin", "r")
repeat {
	lines <- readLines(input, 5000)
	if (length(lines) == 0)
		break
	for (line in lines) {
		part <- strsplit(line, "|", fixed = TRUE)[[1]]
		what <- part[1]
		x <- numbers(part[3])
		ours <- numbers(part[5])
		theirs <- tryCatch(as.numeric(r[[what]](numbers(part[2]), x,
		    numbers(part[4]))), error = function(e) {
			cat(what, conditionMessage(e), "\n", line, "\n")
			rep(Inf, length(ours))
		})
		d <- difference(ours, theirs,
		    if (is.null(scale[[what]]))
		    1e-4 * max(abs(x), 1e-290, na.rm = TRUE) else scale[[what]])
		s <- state[[what]]
		if (is.null(s))
			s <- list(cases = 0, values = 0, most = 0, bad = 0)
		bad <- d > (if (is.null(tolerance[[what]])) 1e-10
		    else tolerance[[what]])
		s$cases <- s$cases + 1
		s$values <- s$values + sum(!is.na(theirs) | is.nan(theirs))
		s$most <- max(s$most, d)
		s$bad <- s$bad + sum(bad)
		if (any(bad) && is.null(s$first))
			s$first <- sprintf(
			    "%s result %d: ours %.17g, R's %.17g\n  %s",
			    what, which(bad)[1], ours[which(bad)[1]],
			    theirs[which(bad)[1]], substr(line, 1, 400))
		assign(what, s, envir = state)
	}
}
cat(sprintf("%-12s %8s %9s %9s %7s\n", "function", "cases", "values", "largest",
    "beyond"))
failed <- FALSE
for (what in sort(ls(state))) {
	s <- state[[what]]
	cat(sprintf("%-12s %8d %9d %9.1e %7d\n", what, s$cases, s$values, s$most,
	    s$bad))
	failed <- failed || s$bad > 0
}
for (what in sort(ls(state)))
	if (!is.null(state[[what]]$first))
		cat(state[[what]]$first, "\n")
quit(status = if (failed) 1 else 0)
