import type { Attributes } from "@opentelemetry/api";
import { DataPointType, type ResourceMetrics } from "@opentelemetry/sdk-metrics";

/** One point of a metric. A histogram has a count and a sum, any other metric a value. */
export interface MetricPoint {
  readonly name: string;
  readonly unit: string;
  readonly attributes: Attributes;
  readonly value?: number;
  readonly count?: number;
  readonly sum?: number;
}

export function metricPoints(metrics: readonly ResourceMetrics[]): readonly MetricPoint[] {
  return metrics
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap((scope) => scope.metrics)
    .flatMap((metric): MetricPoint[] => {
      const { name, unit } = metric.descriptor;
      if (metric.dataPointType === DataPointType.HISTOGRAM) {
        return metric.dataPoints.map(({ attributes, value: { count, sum = 0 } }) => {
          return { name, unit, attributes, count, sum };
        });
      }
      return metric.dataPoints.map(({ attributes, value }) => {
        return { name, unit, attributes, value: value as number };
      });
    });
}
