# Best linear unbiased predictions by lme4, and the stability index WAASB, of the training tables that trials.py writes.
#
#   Rscript blup.R tables FOLDER NAME...   tables of agridat (of the folder AGRIDAT where that is set) as CSV
#   Rscript blup.R fit FOLDER              reads FOLDER/*.train.csv (site, gen, year, rep, y), writes FOLDER/blup.csv
#   Rscript blup.R waasb                   WAASB of metan's data_ge (of the folder METAN where that is set) as CSV
#   Rscript blup.R versions
suppressMessages(library(lme4))
said <- commandArgs(trailingOnly = TRUE)

# The table of a package, or of a folder with a clone of the package.
shipped <- function(item, package, folder) {
  into <- new.env()
  if (folder == "") data(list = item, package = package, envir = into)
  else if (file.exists(file.path(folder, paste0(item, ".rda")))) load(file.path(folder, paste0(item, ".rda")), into)
  else return(read.delim(file.path(folder, paste0(item, ".txt"))))
  as.data.frame(into[[item]])
}

# The model that metan fits by default: environments and their replicates are fixed, varieties and interactions are random.
fitted_model <- function(d) {
  several <- function(...) max(table(d[, c(...)])) > 1
  env <- interaction(d$site, d$year, drop = TRUE)
  fixed <- if (nlevels(env) > 1) "env" else "1"
  d$env <- env
  if (nlevels(d$rep) > 1) fixed <- paste(fixed, "+ env:rep")
  random <- "(1 | gen)"
  if (several("site", "gen")) random <- paste(random, "+ (1 | gen:site)")
  if (nlevels(d$year) > 1 && several("year", "gen")) random <- paste(random, "+ (1 | gen:year)")
  suppressMessages(suppressWarnings(lmer(as.formula(paste("y ~", fixed, "+", random)), d)))
}

# WAASB (Olivoto et al., Agronomy Journal 111, 2949-2960, 2019): the mean of a variety's absolute scores in the singular value decomposition of the
# predicted interactions, weighted by the variance that each axis explains.
waasb <- function(interactions) {
  axes <- seq_len(min(dim(interactions)) - 1)
  s <- svd(interactions)
  scores <- s$u[, axes, drop = FALSE] %*% diag(sqrt(s$d[axes]), length(axes))
  explained <- s$d[axes]^2 / sum(s$d[axes]^2)
  setNames(drop(abs(scores) %*% explained), rownames(interactions))
}

# WAASBY, of the same paper: mean and stability, each rescaled to 0 to 100, with equal weights.
waasby <- function(means, stability) {
  rescaled <- function(x) 100 * (x - min(x)) / (max(x) - min(x))
  (rescaled(means) + 100 - rescaled(stability[names(means)])) / 2
}

interactions <- function(random) {
  parts <- do.call(rbind, strsplit(rownames(random), ":"))
  tapply(random[[1]], list(parts[, 1], parts[, 2]), sum)
}

fit <- function(path) {
  d <- read.csv(path, colClasses = c("character", "character", "character", "character", "numeric"))
  for (c in c("site", "gen", "year", "rep")) d[[c]] <- factor(d[[c]])
  random <- ranef(fitted_model(d))
  gen <- setNames(random$gen[[1]], rownames(random$gen))
  run <- sub(".train.csv", "", basename(path), fixed = TRUE)
  out <- data.frame(run, method = "BLUP", site = "", gen = names(gen), value = gen)
  cells <- unique(d[, c("site", "gen")])
  own <- gen[as.character(cells$gen)]
  if (!is.null(random$`gen:site`)) {
    extra <- interactions(random$`gen:site`)
    own <- own + extra[cbind(as.character(cells$gen), as.character(cells$site))]
    if (!anyNA(extra) && min(dim(extra)) > 2 && max(abs(extra)) > 0) {
      means <- tapply(d$y, list(d$gen, d$site), mean)
      index <- waasby(rowMeans(means), waasb(extra))
      out <- rbind(out, data.frame(run, method = "WAASBY", site = "", gen = names(index), value = index))
    }
  }
  rbind(out, data.frame(run, method = "BLUP", site = cells$site, gen = cells$gen, value = own))
}

if (said[1] == "tables") {
  for (item in said[-(1:2)]) write.csv(shipped(item, "agridat", Sys.getenv("AGRIDAT")), file.path(said[2], paste0(item, ".csv")), row.names = FALSE)
} else if (said[1] == "fit") {
  files <- sort(Sys.glob(file.path(said[2], "*.train.csv")))
  write.csv(do.call(rbind, lapply(files, fit)), file.path(said[2], "blup.csv"), row.names = FALSE)
} else if (said[1] == "waasb") {
  d <- shipped("data_ge", "metan", Sys.getenv("METAN"))
  d <- data.frame(site = factor(d$ENV), gen = factor(d$GEN), year = factor("-"), rep = factor(d$REP), y = d$GY)
  own <- waasb(interactions(ranef(fitted_model(d))$`gen:site`))
  index <- waasby(tapply(d$y, d$gen, mean)[names(own)], own)
  write.csv(data.frame(gen = names(own), waasb = own, waasby = index[names(own)]), stdout(), row.names = FALSE)
} else {
  cat(sprintf("R %s, lme4 %s\n", getRversion(), packageVersion("lme4")))
}
